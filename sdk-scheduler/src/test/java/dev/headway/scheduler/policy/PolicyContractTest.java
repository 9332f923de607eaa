package dev.headway.scheduler.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.policy.DynamicOrder;
import dev.headway.api.policy.Policies;
import dev.headway.api.policy.StaticOrder;
import dev.headway.api.request.RequestView;
import dev.headway.scheduler.policy.order.Fcfs;
import dev.headway.scheduler.policy.victim.VictimBy;
import dev.headway.testkit.policy.ContractReport;
import dev.headway.testkit.policy.PolicyContract;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The kit finds what is broken. */
class PolicyContractTest {

  @Test
  void shouldFindNothingInPoliciesThatKeepTheContract() {
    assertThatCode(
            () ->
                PolicyContract.of(() -> Policies.builder().victim(VictimBy.LEAST_COMPUTED).build())
                    .check()
                    .verify())
        .doesNotThrowAnyException();
  }

  @Test
  void shouldFindImpossibleAnswers() {
    assertFinds(Policies.builder().victim((needy, needed, step) -> 8), "a victim must be STALL or");
    assertFinds(Policies.builder().budget(step -> 0), "a budget must be in [running decodes, 128]");
    assertFinds(Policies.builder().chunking((r, wanted, step) -> 0), "a chunk must be >= 1");
    assertFinds(Policies.builder().capacity((c, k, n, step) -> -1), "blocks to keep free must be");
    assertFinds(Policies.builder().gate((request, step) -> null), "a verdict must not be null");
  }

  @Test
  void shouldFindScoresThatAreNoNumbers() {
    final DynamicOrder order = (candidates, scores, step) -> scores[0] = 0.0 / 0.0;

    assertFinds(Policies.builder().order(order), "a score or key must be a number: candidate=0");
  }

  @Test
  void shouldFindThatAPolicyThrows() {
    assertFinds(
        Policies.builder()
            .budget(
                step -> {
                  throw new IllegalStateException("no idea");
                }),
        "a policy must not throw: java.lang.IllegalStateException: no idea; seed=1");
  }

  @Test
  void shouldFindThatTwoInstancesDecideDifferently() {
    final Random random = new Random(1);
    final DynamicOrder order =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = random.nextDouble();
          }
        };

    assertFinds(Policies.builder().order(order), "two fresh instances must decide alike: step=");
  }

  @Test
  void shouldFindThatTheTailMatters() {
    final DynamicOrder order =
        (candidates, scores, step) -> {
          final long last = candidates.request(candidates.size() - 1).number();
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = (candidates.request(i).number() * 7) % (last + 2);
          }
        };

    assertFinds(Policies.builder().order(order), "indifference to the tail: the order of");
  }

  @Test
  void shouldFindAllocation() {
    final AtomicInteger sink = new AtomicInteger();

    assertFinds(
        Policies.builder()
            .victim((needy, needed, step) -> sink.addAndGet(new int[64].hashCode()) * 0),
        "no allocation when warm: bytes per call must be 0");
  }

  @Test
  void shouldFindAKeyThatAllocates() {
    final StaticOrder order = request -> new int[64].hashCode() % 2;

    assertFinds(
        Policies.builder().order(order), "no allocation when warm: bytes per call must be 0");
  }

  @Test
  void shouldFindThatShortOrLongRequestsStarve() {
    final StaticOrder longestFirst = request -> -request.promptTokens();
    final StaticOrder shortestFirst = RequestView::promptTokens;

    for (StaticOrder order : List.of(longestFirst, shortestFirst)) {
      assertThat(
              PolicyContract.of(() -> Policies.builder().order(order).build())
                  .cases(1)
                  .starvationFree()
                  .check()
                  .violations())
          .anyMatch(found -> found.startsWith("no starvation: an old request must be admitted"));
    }
  }

  /** 276 tokens behind, at 100 tokens a second. */
  @Test
  void shouldGiveAnOrderTimeToAge() {
    final DynamicOrder ageing =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            final RequestView request = candidates.request(i);
            final double waitedSeconds = (step.nowNs() - request.arrivalNs()) / 1e9;
            scores[i] = request.promptTokens() - 100 * waitedSeconds;
          }
        };

    PolicyContract.of(() -> Policies.builder().order(ageing).build())
        .cases(2)
        .starvationFree()
        .check()
        .verify();
    assertThat(
            PolicyContract.of(() -> Policies.builder().order(ageing).build())
                .cases(2)
                .starvationFree(Duration.ofSeconds(2))
                .check()
                .violations())
        .anyMatch(found -> found.startsWith("no starvation"));
  }

  @Test
  void shouldFindStarvation() {
    final DynamicOrder lastComeFirstServed =
        (candidates, scores, step) -> {
          for (int i = 0; i < candidates.size(); i++) {
            scores[i] = -i;
          }
        };

    assertThat(
            PolicyContract.of(() -> Policies.builder().order(lastComeFirstServed).build())
                .cases(1)
                .starvationFree()
                .check()
                .violations())
        .anyMatch(found -> found.startsWith("no starvation: an old request must be admitted"));
  }

  @Test
  void shouldFindPreemptionsUnevenChunksAndUnfairness() {
    final PolicyContract contract =
        PolicyContract.of(
                () ->
                    Policies.builder()
                        .order(new Fcfs())
                        .chunking((request, wanted, step) -> Math.max(1, wanted / 2))
                        .build())
            .cases(2)
            .neverPreempts()
            .evenChunks(16)
            .fairBetweenTenants(1, 2);

    assertThat(contract.check().violations())
        .anyMatch(found -> found.startsWith("no preemptions: preemptions must be 0"))
        .anyMatch(found -> found.startsWith("even chunks: chunks must differ by at most a unit"))
        .anyMatch(found -> found.startsWith("fair between tenants: service must drift apart"));
  }

  @Test
  void shouldFailWithAllViolations() {
    final ContractReport given = new ContractReport(List.of("one"), List.of("a", "b"));

    assertThatThrownBy(given::verify)
        .isInstanceOf(AssertionError.class)
        .hasMessage("a policy must keep its contract: checks=[one], violations:\n  a\n  b");
  }

  private static void assertFinds(Policies.Builder broken, String violation) {
    final Policies policies = broken.build();
    assertThat(PolicyContract.of(() -> policies).cases(2).check().violations())
        .anyMatch(found -> found.contains(violation));
  }
}
