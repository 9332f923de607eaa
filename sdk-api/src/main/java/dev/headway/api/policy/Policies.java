package dev.headway.api.policy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The replaced decisions; all others are made as configured. Immutable.
 *
 * @param order the order in which waiting requests are considered
 * @param gate which requests may be admitted
 * @param capacity what an admission leaves free
 * @param budget how many tokens a step has
 * @param chunking how they are split between prompts
 * @param victim which running request is preempted
 * @param ledgers service accounting
 * @param stepTime prediction of step durations
 */
public record Policies(
    @Nullable QueueOrder order,
    @Nullable AdmissionGate gate,
    @Nullable CapacityPolicy capacity,
    @Nullable TokenBudget budget,
    @Nullable ChunkPolicy chunking,
    @Nullable VictimPolicy victim,
    List<ServiceLedger> ledgers,
    @Nullable StepTimeModel stepTime) {

  /** Everything as configured. */
  public static final Policies NONE = builder().build();

  /** Copies the ledgers. */
  public Policies {
    ledgers = List.copyOf(ledgers);
  }

  /** Starts a builder with nothing replaced. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether nothing is replaced. */
  public boolean isEmpty() {
    return equals(NONE);
  }

  /**
   * Returns these policies and {@code other}'s together.
   *
   * @throws IllegalArgumentException if both replace the same decision
   */
  public Policies and(Policies other) {
    final List<ServiceLedger> all = new ArrayList<>(ledgers);
    all.addAll(other.ledgers);
    return new Policies(
        one("order", order, other.order),
        one("gate", gate, other.gate),
        one("capacity", capacity, other.capacity),
        one("budget", budget, other.budget),
        one("chunking", chunking, other.chunking),
        one("victim", victim, other.victim),
        all,
        one("stepTime", stepTime, other.stepTime));
  }

  private static <T> @Nullable T one(String decision, @Nullable T a, @Nullable T b) {
    if (a != null && b != null) {
      throw new IllegalArgumentException(
          "each decision takes one policy; choose one: decision="
              + decision
              + ", policies=["
              + a.getClass().getName()
              + ", "
              + b.getClass().getName()
              + "]");
    }
    return a != null ? a : b;
  }

  /** Collects policies. Not thread-safe. */
  public static final class Builder {

    private @Nullable QueueOrder order;
    private @Nullable AdmissionGate gate;
    private @Nullable CapacityPolicy capacity;
    private @Nullable TokenBudget budget;
    private @Nullable ChunkPolicy chunking;
    private @Nullable VictimPolicy victim;
    private final List<ServiceLedger> ledgers = new ArrayList<>();
    private @Nullable StepTimeModel stepTime;

    private Builder() {}

    /** The order in which waiting requests are considered. */
    public Builder order(QueueOrder order) {
      this.order = order;
      return this;
    }

    /** Which requests may be admitted. */
    public Builder gate(AdmissionGate gate) {
      this.gate = gate;
      return this;
    }

    /** What an admission leaves free. */
    public Builder capacity(CapacityPolicy capacity) {
      this.capacity = capacity;
      return this;
    }

    /** How many tokens a step has. */
    public Builder budget(TokenBudget budget) {
      this.budget = budget;
      return this;
    }

    /** How they are split between prompts. */
    public Builder chunking(ChunkPolicy chunking) {
      this.chunking = chunking;
      return this;
    }

    /** Which running request is preempted. */
    public Builder victim(VictimPolicy victim) {
      this.victim = victim;
      return this;
    }

    /** Adds a service ledger. */
    public Builder ledger(ServiceLedger ledger) {
      this.ledgers.add(ledger);
      return this;
    }

    /** Prediction of step durations. */
    public Builder stepTime(StepTimeModel stepTime) {
      this.stepTime = stepTime;
      return this;
    }

    /** Returns the policies. */
    public Policies build() {
      return new Policies(order, gate, capacity, budget, chunking, victim, ledgers, stepTime);
    }
  }
}
