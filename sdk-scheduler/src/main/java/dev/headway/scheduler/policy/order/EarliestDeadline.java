package dev.headway.scheduler.policy.order;

import dev.headway.api.policy.Policies;
import dev.headway.api.policy.PolicyContext;
import dev.headway.api.policy.PolicyProvider;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.PolicyOptions;
import dev.headway.scheduler.policy.order.AttainableGate.Unattainable;

/**
 * The request first that wants its first token soonest: by {@code arrival + min(ttftTarget,
 * timeout)}, or {@code arrival + defaultTarget} for a request that names neither, so that nobody
 * starves. Optimal on one machine as long as all deadlines can be met; when they cannot, put an
 * {@link AttainableGate} before it.
 *
 * <p>Source: Liu and Layland (1973); for TTFT, Scorpio (arXiv 2505.23022).
 */
public final class EarliestDeadline implements StaticOrder {

  private final Deadlines deadlines;

  /**
   * Makes the order.
   *
   * @param defaultTargetNs what a request without a target waits at most, in ns, >= 1
   */
  public EarliestDeadline(long defaultTargetNs) {
    deadlines = new Deadlines(defaultTargetNs);
  }

  @Override
  public double key(RequestView request) {
    final long deadline = deadlines.of(request);
    deadlines.onFinished(request);
    return deadline;
  }

  /** Adds a gate and its ledger to an order by deadline. */
  static Policies.Builder gated(Policies.Builder policies, Unattainable unattainable) {
    if (unattainable == Unattainable.ADMIT) {
      return policies;
    }
    final AttainableGate gate = new AttainableGate(unattainable);
    return policies.gate(gate).ledger(gate);
  }

  /** Provides {@code earliest-deadline}. */
  public static final class Provider implements PolicyProvider {

    /** For the service loader. */
    public Provider() {}

    @Override
    public String name() {
      return "earliest-deadline";
    }

    @Override
    public String description() {
      return "Order and gate: the earliest ttftTarget or timeout first. Options:"
          + " default-target-ms=60000 (for requests without either), unattainable=reject (what"
          + " becomes of one that cannot be in time; also defer, admit), by a step-time model.";
    }

    @Override
    public Policies create(PolicyContext context) {
      final PolicyOptions options = PolicyOptions.of(name(), context);
      final long defaultTargetMs = options.whole("default-target-ms", 60_000, 1, 1L << 40);
      final Unattainable unattainable =
          options.choice("unattainable", Unattainable.REJECT, Unattainable.class);
      options.requireNoOthers();
      final EarliestDeadline order = new EarliestDeadline(defaultTargetMs * 1_000_000);
      return gated(Policies.builder().order(order), unattainable).build();
    }
  }
}
