package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.Compatibility;
import dev.headway.api.kvcache.Allocation;
import org.junit.jupiter.api.Test;

/** The step fence: no block is given away while a step that may write it is out. */
class QuarantineTest {

  @Test
  void shouldNotReuseABlockBeforeTheStepIsAcknowledged() {
    final KvFixture given =
        cache().usableBlocks(2).request("a", text(1, 2)).request("b", text(2, 1));
    given.allocate("a");

    given.releaseAfterStep("a", 7);

    assertThat(given.manager().freeBlocks()).isZero();
    assertThat(given.manager().quarantinedBlocks()).isEqualTo(2);
    assertThat(given.usedBlocks()).isEqualTo(2);
    assertThat(given.allocate("b")).isEqualTo(Allocation.Status.BLOCKS_SHORT);

    given.manager().acknowledge(6);
    assertThat(given.allocate("b")).isEqualTo(Allocation.Status.BLOCKS_SHORT);

    given.manager().acknowledge(7);
    assertThat(given.free()).containsExactly(2, 1);
    assertThat(given.manager().quarantinedBlocks()).isZero();
    assertThat(given.allocate("b")).isEqualTo(Allocation.Status.ALLOCATED);
  }

  @Test
  void shouldFreeAtOnceWhatNoStepOutCanWrite() {
    final KvFixture given = cache().usableBlocks(2).request("a", text(1, 2));
    given.allocate("a");
    given.manager().acknowledge(7);

    given.releaseAfterStep("a", 7);

    assertThat(given.free()).containsExactly(2, 1);
  }

  @Test
  void shouldNotTakeBackAnAcknowledgement() {
    final KvFixture given = cache().usableBlocks(2).request("a", text(1, 2));
    given.allocate("a");
    given.manager().acknowledge(7);

    given.manager().acknowledge(5);
    given.releaseAfterStep("a", 7);

    assertThat(given.manager().quarantinedBlocks()).isZero();
  }

  @Test
  void shouldFreeAtOnceWithoutAFence() {
    final KvFixture given = cache().usableBlocks(2).request("a", text(1, 2));
    given.allocate("a");

    given.releaseAfterStep("a", 0);

    assertThat(given.free()).containsExactly(2, 1);
  }

  @Test
  void shouldCountWhatIsInQuarantineAsHeldLikeVllm() {
    assertThat(commonPrefixBesideQuarantine(Compatibility.HEADWAY)).isEqualTo(1);
    assertThat(commonPrefixBesideQuarantine(Compatibility.VLLM_0_28)).isZero();
  }

  private static int commonPrefixBesideQuarantine(Compatibility compatibility) {
    final KvFixture given =
        cache()
            .compatibility(compatibility)
            .request("a", with(text(1, 2), 8))
            .request("b", with(text(1, 2), 9));
    given.allocate("a");
    given.allocate("b");

    given.releaseAfterStep("a", 7);

    return given.manager().commonPrefixBlocks(given.sequence("b"), 0) > 0 ? 1 : 0;
  }

  @Test
  void shouldRefuseAResetWhileABlockIsInQuarantine() {
    final KvFixture given = cache().request("a", text(1, 2));
    given.allocate("a");
    given.releaseAfterStep("a", 7);

    assertThat(given.manager().reset()).isFalse();

    given.manager().acknowledge(7);
    assertThat(given.manager().reset()).isTrue();
  }

  @Test
  void shouldShareABlockThatIsInQuarantine() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 9));
    given.allocate("a");
    given.releaseAfterStep("a", 7);

    given.allocate("b");

    assertThat(given.blocksOf("b")).containsExactly(1, 2, 3);
    assertThat(given.manager().quarantinedBlocks()).as("held, thus not counted here").isZero();
    assertThat(given.manager().freeBlocks()).isEqualTo(5);

    given.manager().acknowledge(7);
    assertThat(given.blocksOf("b")).containsExactly(1, 2, 3);
    assertThat(given.free()).containsExactly(4, 5, 6, 7, 8);
  }

  @Test
  void shouldCountABlockInQuarantineTwiceOnlyOnce() {
    final KvFixture given = cache().request("a", text(1, 2)).request("b", with(text(1, 2), 9));
    given.allocate("a");
    given.allocate("b");

    given.releaseAfterStep("a", 7);
    assertThat(given.manager().quarantinedBlocks()).isZero();

    given.releaseAfterStep("b", 8);
    assertThat(given.manager().quarantinedBlocks()).isEqualTo(3);

    given.manager().acknowledge(7);
    assertThat(given.manager().quarantinedBlocks()).isEqualTo(3);
    assertThat(given.manager().freeBlocks()).isEqualTo(5);

    given.manager().acknowledge(8);
    assertThat(given.manager().quarantinedBlocks()).isZero();
    assertThat(given.manager().freeBlocks()).isEqualTo(8);
  }

  @Test
  void shouldHoldMoreRunsThanItHadRoomFor() {
    final KvFixture given = cache().usableBlocks(200);
    for (int i = 0; i < 40; i++) {
      given.request("r" + i, text(i, 1 + i % 8)).allocate("r" + i);
    }
    given.manager().acknowledge(1);

    int held = 0;
    for (int i = 0; i < 40; i++) {
      held += given.releaseAfterStep("r" + i, 2 + i);
    }
    assertThat(given.manager().quarantinedBlocks()).isEqualTo(held);

    for (int i = 0; i < 40; i++) {
      given.manager().acknowledge(2 + i);
      held -= 1 + i % 8;
      assertThat(given.manager().quarantinedBlocks()).isEqualTo(held);
    }
    assertThat(given.manager().freeBlocks()).isEqualTo(200);
  }

  @Test
  void shouldKeepRunsLongerThanItHadRoomFor() {
    final KvFixture given = cache().usableBlocks(50).request("a", text(1, 40));
    given.allocate("a");

    given.releaseAfterStep("a", 1);
    given.manager().acknowledge(1);

    assertThat(given.free()).hasSize(50).doesNotHaveDuplicates();
  }
}
