package dev.headway.kvcache;

import static dev.headway.api.kvcache.KvTransferStage.COMPLETED;
import static dev.headway.api.kvcache.KvTransferStage.EVICTED;
import static dev.headway.api.kvcache.KvTransferStage.INITIATED;
import static dev.headway.api.kvcache.KvTransferStage.LOAD_COMMITTED;
import static dev.headway.api.kvcache.KvTransferStage.STORE_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvTransfer;
import dev.headway.api.kvcache.KvTransferStage;
import dev.headway.api.request.RequestView;
import dev.headway.testkit.kvcache.KvTransferRules;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KvTransferRulesTest {

  private final KvTransferRules given = new KvTransferRules();
  private long nowNs;

  @Test
  void shouldAcceptTransfersThatOverlap() {
    tell(EVICTED, 1);
    tell(STORE_COMMITTED, 1);
    tell(LOAD_COMMITTED, 2);
    tell(INITIATED, 2);
    tell(INITIATED, 1);
    assertThat(given.inFlight()).isEqualTo(2);
    tell(COMPLETED, 1);
    tell(COMPLETED, 2);
    tell(STORE_COMMITTED, 3); // could not be submitted

    assertThat(given.violations()).isEmpty();
    assertThat(given.inFlight()).isZero();
  }

  @Test
  void shouldMissACommitment() {
    tell(INITIATED, 1);

    assertThat(given.violations())
        .containsExactly(
            "a transfer is committed before it is initiated: stage=initiated, transferId=1,"
                + " stepId=5");
  }

  @Test
  void shouldNoticeWhatComesTwice() {
    tell(LOAD_COMMITTED, 1);
    tell(INITIATED, 1);
    tell(INITIATED, 1);
    tell(COMPLETED, 1);
    tell(COMPLETED, 1);
    tell(LOAD_COMMITTED, 1);

    assertThat(given.violations())
        .hasSize(3)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("a transfer is initiated once: "),
            line -> assertThat(line).startsWith("a transfer is completed once, after it was "),
            line -> assertThat(line).startsWith("ids must grow: largest before=1: "));
  }

  @Test
  void shouldNoticeATransferThatChangesOnItsWay() {
    tell(STORE_COMMITTED, 1);
    given.onKvTransfer(
        new Transfer(INITIATED, 1, 6, 12, ++nowNs)); // the reference's step is one off

    assertThat(given.violations())
        .singleElement()
        .asString()
        .startsWith("a transfer stays what was committed: ");
  }

  @Test
  void shouldNoticeEvictionsBehindTheirCommitmentAndInstantsThatGoBack() {
    tell(STORE_COMMITTED, 1);
    tell(EVICTED, 1);
    given.onKvTransfer(new Transfer(INITIATED, 1, 5, 12, 0));

    assertThat(given.violations())
        .hasSize(2)
        .satisfiesExactly(
            line -> assertThat(line).startsWith("evictions come before the commitment"),
            line -> assertThat(line).startsWith("instants must not go back: before=2: "));
  }

  private void tell(KvTransferStage stage, long transferId) {
    given.onKvTransfer(new Transfer(stage, transferId, 5, 12, ++nowNs));
  }

  private record Transfer(
      KvTransferStage stage, long transferId, long stepId, int blockCount, long atNs)
      implements KvTransfer {

    @Override
    public @Nullable RequestView request() {
      return null;
    }

    @Override
    public String sourceMedium() {
      return "gpu";
    }

    @Override
    public String targetMedium() {
      return "cpu";
    }

    @Override
    public @Nullable String reason() {
      return stage == EVICTED ? "lru" : null;
    }

    @Override
    public boolean succeeded() {
      return true;
    }
  }
}
