package dev.headway.cuda.executor;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepPlan;
import java.util.Arrays;

/**
 * Penalties of the samples that have any, and the tokens they look at: all known ones of prompt and
 * outputs, sent anew in each step. In {@code int}s:
 *
 * <pre>
 * penalty    [rows][3]  repetition, presence, frequency, as floats
 * begin      [rows + 1] where a row's tokens begin in history
 * prompt     [rows]     how many of them are its prompt
 * carryFrom  [rows]     place of the step before that sampled the last token, or -1
 * carryTo    [rows]     where it goes in history
 * history    tokens of all rows
 * </pre>
 */
final class PenaltyPlan {
  int rows;
  int penaltyAt;
  int beginAt;
  int promptAt;
  int carryFromAt;
  int carryToAt;
  int historyAt;
  int end;
  private int[] data = new int[64];

  /** Rows in the order of their samples, which are the last ones. */
  void pack(StepPlan plan, BatchEntries entries, int[] sampleOf) {
    rows = entries.penalised();
    penaltyAt = 0;
    beginAt = penaltyAt + 3 * rows;
    promptAt = beginAt + rows + 1;
    carryFromAt = promptAt + rows;
    carryToAt = carryFromAt + rows;
    historyAt = carryToAt + rows;
    end = historyAt;
    if (rows == 0) {
      return;
    }
    reserve(historyAt);
    data[beginAt] = 0;
    int row = 0;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.answers(lane) && entries.isPenalised(lane)) {
        write(plan.request(entries.entryOf(lane)), entries, lane, row++);
      }
    }
  }

  private void write(PlannedRequest request, BatchEntries entries, int lane, int row) {
    final SamplingParams params = entries.sampling(lane);
    final int length = entries.nextPosition(lane);
    final boolean carried = entries.carriedFrom(lane) != LastSamples.NONE;
    reserve(end + length);
    data[penaltyAt + 3 * row] = Float.floatToRawIntBits(params.repetitionPenalty());
    data[penaltyAt + 3 * row + 1] = Float.floatToRawIntBits(params.presencePenalty());
    data[penaltyAt + 3 * row + 2] = Float.floatToRawIntBits(params.frequencyPenalty());
    data[promptAt + row] = request.promptTokens();
    data[carryFromAt + row] = entries.carriedFrom(lane);
    data[carryToAt + row] = end - historyAt + length - 1;
    final int drafts = entries.draftsBefore(lane);
    request.copyTokenIds(0, data, end, (carried ? length - 1 : length) - drafts);
    entries.copyDrafts(lane, drafts, data, end + length - drafts);
    if (carried) {
      data[end + length - 1] = 0;
    }
    end += length;
    data[beginAt + row + 1] = end - historyAt;
  }

  private void reserve(int ints) {
    if (data.length < ints) {
      data = Arrays.copyOf(data, Math.max(ints, 2 * data.length));
    }
  }

  /** The block; its first {@code end} ints count. */
  int[] data() {
    return data;
  }
}
