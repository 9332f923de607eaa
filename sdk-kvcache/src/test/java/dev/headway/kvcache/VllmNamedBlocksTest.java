package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.KvSequence;
import dev.headway.api.request.LoraAdapter;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.kvcache.wire.VllmBlockHasher;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VllmNamedBlocksTest {

  private static final int BLOCK_SIZE = 4;
  private static final int[] PROMPT = {5, 1, 1, 1, 1, 9, 1, 1, 7, 7, 7, 7, 3};

  /** Ends of the digests that a program of its own, in Python, made of this request's blocks. */
  private static final String[] NAMES = {
    "2c8418e8bed17684", "5b14b6d9ae7ac2b9", "3bbc522c7052d758"
  };

  private final Request request =
      Request.builder("r", PROMPT)
          .maxTokens(4)
          .cacheSalt("s")
          .lora(new LoraAdapter(1, "my-lora"))
          .items(
              List.of(MultiModalItem.of("cat", 1, 4), MultiModalItem.withoutEncoder("dog", 6, 2)))
          .build();

  private final List<String> stored = new ArrayList<>();
  private final List<String> parents = new ArrayList<>();

  @Test
  void shouldNameBlocksAsVllmWithAdapterSaltAndItems() {
    final KvCacheManager cache = cache(new KvGroup.FullAttention(BLOCK_SIZE));
    final FakeRequest running = FakeRequest.of(0, request);

    final KvSequence sequence = cache.open(running);
    cache.lookup(sequence);
    cache.allocate(sequence, 8, 0, 0, 0);
    cache.commit(sequence, 8);
    cache.extend(sequence, 8, 5, 0);
    cache.commit(sequence, 13);

    assertThat(stored).containsExactly(NAMES);
    assertThat(parents).containsExactly(NAMES[1]);
  }

  @Test
  void shouldNameBlocksOfSeveralGroupsAlike() {
    final KvCacheManager cache =
        cache(new KvGroup.FullAttention(BLOCK_SIZE), new KvGroup.SlidingWindow(BLOCK_SIZE, 64));

    final KvSequence sequence = cache.open(FakeRequest.of(0, request));
    cache.lookup(sequence);
    cache.allocate(sequence, PROMPT.length, 0, 0, 0);
    cache.commit(sequence, PROMPT.length);

    assertThat(stored).startsWith(NAMES).endsWith(NAMES).hasSize(2 * NAMES.length);
  }

  @Test
  void shouldFindBlocksByThoseNames() {
    final KvCacheManager cache = cache(new KvGroup.FullAttention(BLOCK_SIZE));
    final KvSequence first = cache.open(FakeRequest.of(0, request));
    cache.lookup(first);
    cache.allocate(first, PROMPT.length, 0, 0, 0);
    cache.commit(first, PROMPT.length);

    final int equal = cache.lookup(cache.open(FakeRequest.of(1, request)));
    final int unsalted =
        cache.lookup(
            cache.open(FakeRequest.of(2, Request.builder("u", PROMPT).maxTokens(1).build())));

    assertThat(equal).isEqualTo(12);
    assertThat(unsalted).isZero();
  }

  @Test
  void shouldRefuseGroupsOfDifferentBlockSizesSinceVllmNamesTheirBlocksOtherwise() {
    final KvGroup[] groups = {new KvGroup.FullAttention(4), new KvGroup.SlidingWindow(8, 64)};

    assertThatThrownBy(() -> cache(groups))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            "all groups must have one block size for a hasher that names blocks as vLLM does:"
                + " groups=[FullAttention[blockSize=4]");
  }

  private KvCacheManager cache(KvGroup... groups) {
    final KvCacheShape shape =
        KvCacheShape.builder().blockSize(BLOCK_SIZE).blocks(33).groups(List.of(groups)).build();
    return KvCacheManagers.builder(shape, 64)
        .hasher(BlockHasher.sha256Cbor(VllmBlockHasher.DEFAULT_SEED))
        .listener(
            new KvCacheListener() {
              @Override
              public void onKvStored(KvBlocksStored blocks) {
                for (int i = 0; i < blocks.count(); i++) {
                  stored.add(hex(blocks.contentHash(i)));
                }
                if (blocks.hasParent()) {
                  parents.add(hex(blocks.parentContentHash()));
                }
              }
            })
        .build();
  }

  private static String hex(long name) {
    return "%016x".formatted(name);
  }
}
