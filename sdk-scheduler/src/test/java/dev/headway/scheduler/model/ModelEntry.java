package dev.headway.scheduler.model;

import dev.headway.api.step.EntryKind;
import java.util.List;

/** A request's share of a plan. */
record ModelEntry(
    ModelRequest request,
    EntryKind kind,
    int computed,
    int tokens,
    List<Integer> drafts,
    boolean samples,
    int outputs,
    List<Integer> blocks,
    int newFrom,
    long previousStep,
    int external) {

  @Override
  public String toString() {
    return request
        + " "
        + kind
        + " "
        + computed
        + "+"
        + tokens
        + " drafts="
        + drafts
        + " samples="
        + samples
        + " outputs="
        + outputs
        + " blocks="
        + blocks
        + " from="
        + newFrom
        + " before="
        + previousStep
        + " external="
        + external;
  }
}
