package dev.headway.probes.csv.option;

import dev.headway.toolbox.output.OverwriteMode;

/**
 * How a journal is converted.
 *
 * @param overwrite what happens when the output exists
 * @param text what is done to text that a spreadsheet would take for a formula
 * @param iterationRequests how much of {@code per_iteration_requests.csv} is written
 * @param idLists which lists of ids {@code per_iteration.csv} has
 */
public record ConvertOptions(
    OverwriteMode overwrite,
    TextPolicy text,
    IterationRequests iterationRequests,
    IdLists idLists) {

  /** Refuse to overwrite, neutralise text, write every row, compact id lists. */
  public static final ConvertOptions DEFAULT =
      new ConvertOptions(
          OverwriteMode.REFUSE, TextPolicy.NEUTRALISED, IterationRequests.FULL, IdLists.COMPACT);
}
