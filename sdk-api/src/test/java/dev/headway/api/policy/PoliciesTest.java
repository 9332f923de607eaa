package dev.headway.api.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PoliciesTest {

  private static final StaticOrder ORDER = request -> 0;
  private static final AdmissionGate GATE = (request, step) -> AdmissionGate.Verdict.ADMIT;
  private static final CapacityPolicy CAPACITY = (candidate, cached, tokens, step) -> 0;
  private static final TokenBudget BUDGET = step -> 1;
  private static final ChunkPolicy CHUNKING = (request, wanted, step) -> 1;
  private static final VictimPolicy VICTIM = (needy, blocks, step) -> VictimPolicy.STALL;
  private static final StepTimeModel STEP_TIME = step -> 0;
  private static final ServiceLedger LEDGER = new ServiceLedger() {};
  private static final ServiceLedger OTHER_LEDGER = new ServiceLedger() {};

  private static final Policies ALL =
      Policies.builder()
          .order(ORDER)
          .gate(GATE)
          .capacity(CAPACITY)
          .budget(BUDGET)
          .chunking(CHUNKING)
          .victim(VICTIM)
          .ledger(LEDGER)
          .stepTime(STEP_TIME)
          .build();

  /** Replaces one decision. */
  private static Policies one(String decision) {
    final Policies.Builder builder = Policies.builder();
    return switch (decision) {
      case "order" -> builder.order(ORDER).build();
      case "gate" -> builder.gate(GATE).build();
      case "capacity" -> builder.capacity(CAPACITY).build();
      case "budget" -> builder.budget(BUDGET).build();
      case "chunking" -> builder.chunking(CHUNKING).build();
      case "victim" -> builder.victim(VICTIM).build();
      case "stepTime" -> builder.stepTime(STEP_TIME).build();
      default -> builder.ledger(LEDGER).build();
    };
  }

  @Test
  void shouldPutEachPolicyInItsPlace() {
    assertThat(ALL.order()).isSameAs(ORDER);
    assertThat(ALL.gate()).isSameAs(GATE);
    assertThat(ALL.capacity()).isSameAs(CAPACITY);
    assertThat(ALL.budget()).isSameAs(BUDGET);
    assertThat(ALL.chunking()).isSameAs(CHUNKING);
    assertThat(ALL.victim()).isSameAs(VICTIM);
    assertThat(ALL.ledgers()).containsExactly(LEDGER);
    assertThat(ALL.stepTime()).isSameAs(STEP_TIME);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"order", "gate", "capacity", "budget", "chunking", "victim", "stepTime", "ledger"})
  void shouldBeEmptyOnlyIfNothingIsReplaced(String decision) {
    assertThat(Policies.NONE.isEmpty()).isTrue();
    assertThat(one(decision).isEmpty()).isFalse();
    assertThat(one(decision)).isEqualTo(one(decision)).hasSameHashCodeAs(one(decision));
    assertThat(one(decision).and(Policies.NONE)).isEqualTo(one(decision));
    assertThat(Policies.NONE.and(one(decision))).isEqualTo(one(decision));
  }

  @Test
  void shouldReplaceWhatEitherReplaces() {
    final Policies half =
        Policies.builder().order(ORDER).capacity(CAPACITY).chunking(CHUNKING).build();
    final Policies rest =
        Policies.builder()
            .gate(GATE)
            .budget(BUDGET)
            .victim(VICTIM)
            .stepTime(STEP_TIME)
            .ledger(LEDGER)
            .build();

    assertThat(half.and(rest)).isEqualTo(ALL);
    assertThat(rest.and(half)).isEqualTo(ALL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"order", "gate", "capacity", "budget", "chunking", "victim", "stepTime"})
  void shouldRefuseTwoPoliciesForOneDecision(String decision) {
    assertThatThrownBy(() -> one(decision).and(ALL))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "each decision takes one policy; choose one: decision="
                + decision
                + ", policies=["
                + PoliciesTest.class.getName());
  }

  @Test
  void shouldKeepTheLedgersOfBothInOrder() {
    final Policies first = Policies.builder().ledger(LEDGER).build();
    final Policies second = Policies.builder().ledger(OTHER_LEDGER).ledger(LEDGER).build();

    assertThat(first.and(second).ledgers()).containsExactly(LEDGER, OTHER_LEDGER, LEDGER);
  }

  @Test
  void shouldCopyTheLedgers() {
    final Policies.Builder builder = Policies.builder().ledger(LEDGER);
    final Policies policies = builder.build();

    builder.ledger(OTHER_LEDGER);

    assertThat(policies.ledgers()).containsExactly(LEDGER);
  }
}
