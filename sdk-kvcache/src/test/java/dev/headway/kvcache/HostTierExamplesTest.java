package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.cache;
import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.config.Compatibility;
import dev.headway.api.config.KvOffloadOptions;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.kvcache.Allocation;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the device gives up is saved to the host and found there, content by content. */
class HostTierExamplesTest {

  @Test
  void shouldSaveWhatIsTakenAndLoadWhatIsFound() {
    final KvFixture given = cache().usableBlocks(4).hostBlocks(8);
    given.step(1).request("old", with(text(1, 2), 7)).allocate("old");
    given.release("old");
    given.step(2).request("big", text(2, 4)).allocate("big");

    assertThat(given.work()).containsExactly("save 2>0", "save 1>1");
    given.release("big");
    given.manager().stepEnded(2);

    given.step(3).request("again", with(text(1, 2), 8));
    assertThat(given.lookup("again")).isEqualTo(8);
    assertThat(given.allocate("again")).isEqualTo(Allocation.Status.ALLOCATED);
    assertThat(given.hostTokens()).isEqualTo(8);

    final List<Integer> blocks = given.blocksOf("again");
    assertThat(given.work())
        .contains(
            "load 1>" + blocks.get(0) + " for again", "load 0>" + blocks.get(1) + " for again")
        .filteredOn(work -> work.startsWith("save"))
        .hasSize(3); // of the big one, for three blocks taken
    assertThat(given.events()).contains("stored again 0+2 blocks");
  }

  @Test
  void shouldGoOnInTheHostWhereTheDeviceEnds() {
    final KvFixture given = cache().usableBlocks(4).hostBlocks(8);
    given.step(1).request("old", with(text(1, 3), 7)).allocate("old");
    given.release("old");
    given
        .step(2)
        .request("small", text(2, 2))
        .allocate("small"); // takes the partial block and the last
    given.work();
    given.manager().stepEnded(2);

    given.step(3).request("again", with(text(1, 3), 8));

    assertThat(given.lookup("again")).isEqualTo(12);
    assertThat(given.allocate("again")).isEqualTo(Allocation.Status.BLOCKS_SHORT);
    assertThat(given.hostTokens()).isEqualTo(4);
    assertThat(given.neededBlocks()).isEqualTo(4);
  }

  @Test
  void shouldNotFindWhatNoConfirmedStepHasSaved() {
    final KvFixture given = evicted();

    assertThat(given.lookup("again")).isZero();
    given.manager().stepEnded(2);
    assertThat(given.lookup("again")).isEqualTo(4);
  }

  @Test
  void shouldDropWhatAFailedStepWasToSave() {
    final KvFixture given = evicted();

    given.fail(2);
    given.manager().stepEnded(3);

    assertThat(given.lookup("again")).isZero();
    assertThat(given.manager().usedHostBlocks()).isZero();
  }

  @Test
  void shouldForgetWhatAFailedStepWasToLoad() {
    final KvFixture given = evicted();
    given.manager().stepEnded(2);
    given.step(3).allocate("again");
    assertThat(given.work()).contains("load 0>1 for again");
    given.release("again");
    given.request("sharer", with(text(1, 1), 9)).allocate("sharer");
    assertThat(given.dependents(3)).containsExactly("sharer");
    assertThat(given.dependents(2)).isEmpty();
    given.release("sharer");

    given.fail(3);

    assertThat(given.lookup("again")).isEqualTo(4);
    given.allocate("again");
    assertThat(given.hostTokens()).isEqualTo(4);
  }

  @Test
  void shouldLoadNothingToABlockThatIsTakenAgainInTheStep() {
    final KvFixture given = evicted();
    given.manager().stepEnded(2);
    given.step(3).allocate("again");
    given.release("again"); // its place in the plan was withdrawn
    given.request("late", text(4, 2)).allocate("late");

    assertThat(given.work()).noneMatch(work -> work.startsWith("load"));
    assertThat(given.manager().usedHostBlocks()).isEqualTo(3); // it, and both that were in its way
  }

  @Test
  void shouldNotSaveWhatThisStepIsToWrite() {
    final KvFixture given = cache().usableBlocks(2).hostBlocks(4);
    given.step(1).request("first", text(1, 2)).allocate("first");
    given.release("first");
    given.request("second", text(2, 2)).allocate("second");

    assertThat(given.work()).isEmpty();
  }

  @Test
  void shouldSaveOnceWhatComesAndGoes() {
    final KvFixture given = evicted();
    given.manager().stepEnded(2);
    given.step(3).allocate("again");
    given.work();
    given.release("again");
    given.step(4).request("more", text(5, 2)).allocate("more");

    assertThat(given.work()).containsExactly(); // both contents of the device are in the host
  }

  @Test
  void shouldLoseTheLeastRecentWhenTheHostIsFull() {
    final KvFixture given = cache().usableBlocks(1).hostBlocks(2);
    for (int step = 1; step <= 4; step++) {
      given.step(step).request("r" + step, text(step, 1)).allocate("r" + step);
      given.manager().stepEnded(step - 1);
      given.release("r" + step);
    }
    assertThat(given.work()).containsExactly("save 1>0", "save 1>1", "evicted 0", "save 1>0");

    given.manager().stepEnded(4);
    assertThat(found(given, 1)).isZero();
    assertThat(found(given, 2)).isEqualTo(4);
    assertThat(found(given, 3)).isEqualTo(4);
  }

  @Test
  void shouldKeepScopesApart() {
    final KvFixture given = cache().usableBlocks(2).hostBlocks(4);
    given.step(1).saltedRequest("mine", "salt", text(1, 2)).allocate("mine");
    given.release("mine");
    given.step(2).request("other", text(2, 2)).allocate("other");
    given.manager().stepEnded(2);

    given.request("plain", with(text(1, 2), 9)).saltedRequest("salted", "salt", text(1, 2));

    assertThat(given.lookup("plain")).isZero();
    assertThat(given.lookup("salted")).isEqualTo(4);
  }

  @Test
  void shouldForgetTheHostInAReset() {
    final KvFixture given = evicted();
    given.manager().stepEnded(2);
    given.release("other");

    assertThat(given.manager().reset()).isTrue();

    assertThat(given.lookup("again")).isZero();
    assertThat(given.manager().usedHostBlocks()).isZero();
  }

  @Test
  void shouldRefuseWhatItCannotServe() {
    final KvOffloadOptions host = new KvOffloadOptions(3);
    final KvCacheShape shape = KvCacheShape.builder().blockSize(4).blocks(9).build();

    assertThatThrownBy(() -> new KvOffloadOptions(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hostBlocks must be >= 0, 0 for no tier in host memory: hostBlocks=-1");
    assertThatThrownBy(
            KvCacheManagers.builder(shape, 64).offload(host).compatibility(Compatibility.VLLM_0_28)
                ::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "hostBlocks needs prefixCache enabled and compatibility HEADWAY: hostBlocks=3,"
                + " prefixCache="
                + PrefixCacheOptions.DEFAULT
                + ", compatibility=VLLM_0_28");
    assertThatThrownBy(
            KvCacheManagers.builder(shape, 64)
                    .offload(host)
                    .prefixCache(PrefixCacheOptions.disabled())
                ::build)
        .hasMessageContaining("prefixCache=PrefixCacheOptions[disabled]");
    assertThatThrownBy(
            KvCacheManagers.builder(
                        KvCacheShape.builder()
                            .blockSize(4)
                            .blocks(9)
                            .groups(List.of(new KvGroup.SlidingWindow(4, 8)))
                            .build(),
                        64)
                    .offload(host)
                ::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "hostBlocks needs a cache with one group, of full attention: hostBlocks=3,"
                + " groups=[SlidingWindow[blockSize=4, windowTokens=8]]");
  }

  /** A device of two blocks, both taken in step 2 from the text that "again" begins with. */
  private static KvFixture evicted() {
    final KvFixture given = cache().usableBlocks(2).hostBlocks(4);
    given.step(1).request("old", with(text(1, 1), 7)).allocate("old");
    given.release("old");
    given.step(2).request("other", text(2, 2)).allocate("other");
    assertThat(given.work()).containsExactly("save 1>0");
    given.release("other");
    return given.request("again", with(text(1, 1), 8));
  }

  private static int found(KvFixture given, int number) {
    final String id = "look" + number;
    return given.request(id, with(text(number, 1), 9)).lookup(id);
  }
}
