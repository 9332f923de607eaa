package dev.headway.scheduler.model;

import java.util.ArrayList;
import java.util.List;

/** A request between its admission and its release: what it found, and who was to write that. */
final class ModelTenure {

  /** The step that was to write a block, and for whom. */
  record Writer(ModelTenure tenure, long step) {}

  private final ModelRequest request;
  private final long since;
  private final List<Writer> found = new ArrayList<>();

  ModelTenure(ModelRequest request, long since) {
    this.request = request;
    this.since = since;
  }

  void finds(Writer writer) {
    found.add(writer);
  }

  /**
   * Whether it builds on what failed: what the step was to write, or, of the request that failed in
   * it, anything later too; or on somebody who does. Nothing before the step can matter.
   */
  boolean restsOn(ModelRequest failed, long step) {
    return found.stream()
        .filter(writer -> writer.step() >= step)
        .anyMatch(writer -> isOf(writer, failed, step) || writer.tenure().restsOn(failed, step));
  }

  private static boolean isOf(Writer writer, ModelRequest failed, long step) {
    return failed == null
        ? writer.step() == step
        : writer.tenure().request == failed && writer.tenure().since <= step;
  }
}
