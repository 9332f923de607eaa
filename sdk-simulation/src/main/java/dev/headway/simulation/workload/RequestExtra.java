package dev.headway.simulation.workload;

/** What a request may have beside lengths, and not everything that takes a load can do. */
public enum RequestExtra {
  /** {@link WorkloadRequest#abortAfterNs()}. */
  ABORT("aborts", "aborted requests that run to their end here"),
  /** {@link WorkloadRequest#adapter()}. */
  ADAPTER("adapters", "requests with an adapter that are sent to the base model"),
  /** {@link WorkloadRequest#ttftTargetNs()}. */
  TTFT_TARGET("targets for the first token", "targets for the first token that are not sent");

  private final String plural;
  private final String remark;

  RequestExtra(String plural, String remark) {
    this.plural = plural;
    this.remark = remark;
  }

  /** What several are called. */
  public String plural() {
    return plural;
  }

  /** What is said of requests that had it and run without. */
  String remark() {
    return remark;
  }

  /** Whether a request has it. */
  boolean isOf(WorkloadRequest request) {
    return switch (this) {
      case ABORT -> request.abortAfterNs() != WorkloadRequest.NO_ABORT;
      case ADAPTER -> request.adapter() != null;
      case TTFT_TARGET -> request.ttftTargetNs() != WorkloadRequest.NO_TARGET;
    };
  }

  /** The request without it. */
  WorkloadRequest removedFrom(WorkloadRequest request) {
    return switch (this) {
      case ABORT -> request.withAbortAfterNs(WorkloadRequest.NO_ABORT);
      case ADAPTER -> request.withAdapter(null);
      case TTFT_TARGET -> request.withTtftTargetNs(WorkloadRequest.NO_TARGET);
    };
  }
}
