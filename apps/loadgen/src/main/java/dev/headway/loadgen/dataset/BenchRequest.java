package dev.headway.loadgen.dataset;

import dev.headway.simulation.workload.WorkloadRequest;
import org.jspecify.annotations.Nullable;

/**
 * One request of a data set.
 *
 * @param shape its lengths, shared prefix, tenant and priority, as a simulation takes them
 * @param prompt its own words or tokens; null if they are made up from the shape
 */
public record BenchRequest(WorkloadRequest shape, @Nullable Prompt prompt) {

  /** The same with other lengths; a prompt of its own stays as it is. */
  public BenchRequest withOutputTokens(int outputTokens) {
    return new BenchRequest(shape.withLengths(shape.inputTokens(), outputTokens), prompt);
  }
}
