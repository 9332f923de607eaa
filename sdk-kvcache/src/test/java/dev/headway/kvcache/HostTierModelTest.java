package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvBlockWork;
import dev.headway.api.kvcache.KvCacheEvents;
import dev.headway.api.kvcache.KvCacheListener;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.testkit.FakeRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random use of a tier against a map from texts to steps, in the order of their last use: after
 * every operation both hold the same, and every step is told the same transfers.
 */
class HostTierModelTest {

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 40);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldHoldWhatAMapHolds(long seed) {
    new World(seed).run(3_000);
  }

  /** A content of the model. */
  private static final class Entry {
    private final long savedIn;
    private long plannedIn;

    Entry(long step) {
      savedIn = step;
      plannedIn = step;
    }
  }

  private static final class World implements KvBlockWork {
    private static final KvCacheEvents NOBODY = new KvCacheEvents(new KvCacheListener() {});
    private static final int DEVICE = 7;

    private final long seed;
    private final Random random;
    private final int hostBlocks;
    private final PrefixIndex index = new PrefixIndex(DEVICE, 4, 1); // grows on the way
    private final BlockWriters writers = new BlockWriters(DEVICE);
    private final SequenceEpoch epoch = new SequenceEpoch(1);
    private final HostTier tier;
    private final RequestView request =
        FakeRequest.of(0, Request.builder("r", 1).maxTokens(1).build());
    private final Map<Integer, String> textOfContent = new HashMap<>();
    private final Map<String, Integer> contentOfText = new HashMap<>();

    private final Map<String, Entry> model = new LinkedHashMap<>();
    private final String[] device = new String[DEVICE];
    private final long[] writtenIn = new long[DEVICE];
    private final List<String> expected = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private final Map<Integer, String> loadsDue = new LinkedHashMap<>();
    private long step = 1;
    private long confirmed;
    private int operation;

    World(long seed) {
      this.seed = seed;
      random = new Random(seed);
      hostBlocks = 1 + random.nextInt(6);
      tier = new HostTier(hostBlocks, index, writers);
      tier.beginStep(step);
    }

    void run(int operations) {
      for (operation = 0; operation < operations; operation++) {
        switch (random.nextInt(16)) {
          case 0, 1, 2, 3, 4 -> store();
          case 5, 6, 7, 8 -> take();
          case 9, 10 -> load();
          case 11, 12 -> nextStep();
          case 13 -> confirm();
          case 14 -> dropUnconfirmed();
          default -> clear();
        }
        check();
      }
    }

    /** A free block gets a text of up to three letters, written by this step or an earlier one. */
    private void store() {
      final int block = 1 + random.nextInt(DEVICE - 1);
      if (device[block] != null) {
        return;
      }
      int parent = index.acquireRoot("");
      String text = "";
      long hash = 0;
      for (int letters = 1 + random.nextInt(3); letters > 0; letters--) {
        final int[] token = {random.nextInt(3)};
        hash = new KeyedBlockHasher(3, 4).block(hash, token, 0, 1);
        text += token[0];
        final int known = index.find(hash, parent, token, 0, null);
        if (letters == 1 || known == PrefixIndex.NONE) {
          parent = index.store(block, hash, parent, token, 0, null);
          break; // what stands in front must be there
        }
        parent = known;
      }
      textOfContent.put(parent, text);
      contentOfText.put(text, parent);
      device[block] = text;
      writtenIn[block] = random.nextInt(3) == 0 ? step : 0;
      writers.writes(block, writtenIn[block], epoch);
    }

    private void take() {
      final int block = 1 + random.nextInt(DEVICE - 1);
      final String text = device[block];
      if (text == null) {
        return;
      }
      tier.leaving(block);
      index.evict(block, NOBODY);
      device[block] = null;

      final boolean unwritten = writtenIn[block] == step;
      if (unwritten) {
        loadsDue.remove(block);
      }
      final boolean elsewhere = Arrays.asList(device).contains(text);
      if (elsewhere) {
        return;
      }
      if (model.containsKey(text)) {
        use(text);
      } else if (!unwritten) {
        save(block, text);
      }
    }

    private void save(int block, String text) {
      if (model.size() == hostBlocks) {
        final String oldest = model.keySet().iterator().next();
        if (model.get(oldest).plannedIn == step) {
          return;
        }
        model.remove(oldest);
        expected.addFirst("evicted");
      }
      model.put(text, new Entry(step));
      expected.add("save " + block + " " + text);
    }

    private void use(String text) {
      final Entry entry = model.remove(text);
      entry.plannedIn = step;
      model.put(text, entry);
    }

    private void load() {
      final int block = 1 + random.nextInt(DEVICE - 1);
      if (device[block] != null || model.isEmpty()) {
        return;
      }
      final String text = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
      final int host = tier.find(contentOfText.get(text));
      assertThat(host == PrefixIndex.NONE)
          .as(where() + ", " + text)
          .isEqualTo(model.get(text).savedIn > confirmed);
      if (host == PrefixIndex.NONE) {
        return;
      }
      tier.keep(host);
      index.hold(block, tier.load(request, host, block));
      writers.writes(block, step, epoch);
      use(text);
      device[block] = text;
      writtenIn[block] = step;
      loadsDue.put(block, text);
    }

    private void nextStep() {
      told.clear();
      tier.handOver(this);
      loadsDue.forEach((block, text) -> expected.add("load " + block + " " + text));
      assertThat(told).as(where()).isEqualTo(expected);
      expected.clear();
      loadsDue.clear();
      tier.beginStep(++step);
    }

    private void confirm() {
      confirmed = Math.max(confirmed, step - 1 - random.nextInt(3));
      tier.confirm(confirmed);
    }

    private void dropUnconfirmed() {
      nextStep(); // steps fail between plans
      tier.dropUnconfirmed();
      model.values().removeIf(entry -> entry.savedIn > confirmed);
    }

    private void clear() {
      if (random.nextInt(8) == 0) {
        nextStep();
        tier.clear();
        model.clear();
      }
    }

    @Override
    public void copy(int source, int target) {
      throw new AssertionError(where());
    }

    @Override
    public void zero(int block) {
      throw new AssertionError(where());
    }

    @Override
    public void save(int block, int host) {
      told.add("save " + block + " " + textOfContent.get(tier.contentOf(host)));
    }

    @Override
    public void load(RequestView loader, int host, int block) {
      told.add("load " + block + " " + textOfContent.get(tier.contentOf(host)));
    }

    @Override
    public void evicted(int host) {
      told.add("evicted");
    }

    private void check() {
      final List<String> held = new ArrayList<>();
      for (int host = 0; host < tier.blocks(); host++) {
        if (tier.contentOf(host) != PrefixIndex.NONE) {
          held.add(textOfContent.get(tier.contentOf(host)));
        }
      }
      assertThat(held).as(where()).containsExactlyInAnyOrderElementsOf(model.keySet());
      assertThat(tier.usedBlocks()).as(where()).isEqualTo(model.size());
    }

    private String where() {
      return "seed=" + seed + ", operation=" + operation + ", hostBlocks=" + hostBlocks;
    }
  }
}
