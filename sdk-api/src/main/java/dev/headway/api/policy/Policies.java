package dev.headway.api.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The replaced decisions; all others, which are null, are made as configured. Immutable. */
public final class Policies {

  /** Everything as configured. */
  public static final Policies NONE = builder().build();

  private final @Nullable QueueOrder order;
  private final @Nullable AdmissionGate gate;
  private final @Nullable CapacityPolicy capacity;
  private final @Nullable TokenBudget budget;
  private final @Nullable ChunkPolicy chunking;
  private final @Nullable VictimPolicy victim;
  private final List<ServiceLedger> ledgers;
  private final @Nullable StepTimeModel stepTime;

  private Policies(Builder builder) {
    order = builder.order;
    gate = builder.gate;
    capacity = builder.capacity;
    budget = builder.budget;
    chunking = builder.chunking;
    victim = builder.victim;
    ledgers = List.copyOf(builder.ledgers);
    stepTime = builder.stepTime;
  }

  /** Starts a builder with nothing replaced. */
  public static Builder builder() {
    return new Builder();
  }

  /** The order in which waiting requests are considered. */
  public @Nullable QueueOrder order() {
    return order;
  }

  /** Which requests may be admitted. */
  public @Nullable AdmissionGate gate() {
    return gate;
  }

  /** What an admission leaves free. */
  public @Nullable CapacityPolicy capacity() {
    return capacity;
  }

  /** How many tokens a step has. */
  public @Nullable TokenBudget budget() {
    return budget;
  }

  /** How they are split between prompts. */
  public @Nullable ChunkPolicy chunking() {
    return chunking;
  }

  /** Which running request is preempted. */
  public @Nullable VictimPolicy victim() {
    return victim;
  }

  /** Service accounting. */
  public List<ServiceLedger> ledgers() {
    return ledgers;
  }

  /** Prediction of step durations. */
  public @Nullable StepTimeModel stepTime() {
    return stepTime;
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
    final Builder both = new Builder();
    both.order = one("order", order, other.order);
    both.gate = one("gate", gate, other.gate);
    both.capacity = one("capacity", capacity, other.capacity);
    both.budget = one("budget", budget, other.budget);
    both.chunking = one("chunking", chunking, other.chunking);
    both.victim = one("victim", victim, other.victim);
    both.ledgers.addAll(ledgers);
    both.ledgers.addAll(other.ledgers);
    both.stepTime = one("stepTime", stepTime, other.stepTime);
    return both.build();
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

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Policies that && decisions().equals(that.decisions());
  }

  @Override
  public int hashCode() {
    return decisions().hashCode();
  }

  private List<@Nullable Object> decisions() {
    return Arrays.asList(order, gate, capacity, budget, chunking, victim, ledgers, stepTime);
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
      return new Policies(this);
    }
  }
}
