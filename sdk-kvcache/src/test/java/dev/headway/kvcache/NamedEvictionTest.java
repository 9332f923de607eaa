package dev.headway.kvcache;

import static dev.headway.kvcache.KvFixture.text;
import static dev.headway.kvcache.KvFixture.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.api.kvcache.EvictionPolicy;
import dev.headway.api.request.KvCacheRetention;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which contents of a block go, beside SGLang's keys over the same history. */
class NamedEvictionTest {

  private static final int CONTENTS = 12;

  /** What SGLang knows of a node. */
  private static final class Node {
    final int number;
    int hitCount;
    int lastAccess;

    Node(int number) {
      this.number = number;
    }
  }

  /** {@code get_priority} of the strategies: the least is given up first. */
  private static Comparator<Node> key(EvictionPolicy policy) {
    final Comparator<Node> byAccess = Comparator.comparingInt(node -> node.lastAccess);
    if (policy instanceof LfuEviction) {
      return Comparator.<Node>comparingInt(node -> node.hitCount).thenComparing(byAccess);
    }
    if (policy instanceof SlruEviction slru) {
      return Comparator.<Node>comparingInt(
              node -> node.hitCount >= slru.protectedThreshold() ? 1 : 0)
          .thenComparing(byAccess);
    }
    return byAccess;
  }

  private static EvictionPolicy policy(String name) {
    return switch (name) {
      case "lfu" -> new LfuEviction();
      case "slru" -> SlruEviction.DEFAULT;
      default -> EvictionPolicy.LRU;
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"lru", "lfu", "slru"})
  void shouldGiveUpContentsInTheOrderOfSglangsKeys(String name) {
    for (int seed = 0; seed < 200; seed++) {
      final EvictionPolicy policy = policy(name);
      final History history = new History(policy, seed);

      history.play(40);

      final List<Integer> expected =
          history.nodes.stream().sorted(key(policy)).map(node -> node.number).toList();
      assertThat(history.givenUp()).as("seed=%d", seed).isEqualTo(expected);
    }
  }

  /** Random uses of contents of a block each, all of which fit. */
  private static final class History {
    private final KvFixture cache;
    private final Random random;
    private final List<Node> nodes =
        IntStream.range(0, CONTENTS)
            .mapToObj(Node::new)
            .collect(ArrayList::new, List::add, List::addAll);
    private int clock;
    private int requests;

    History(EvictionPolicy policy, int seed) {
      random = new Random(seed);
      cache = KvFixture.cache().usableBlocks(CONTENTS + 1).maxModelLen(16).eviction(policy);
      nodes.forEach(this::use);
      nodes.forEach(node -> node.hitCount = 0);
    }

    void play(int uses) {
      for (int i = 0; i < uses; i++) {
        use(nodes.get(random.nextInt(CONTENTS)));
      }
    }

    private void use(Node node) {
      final String id = "uses " + requests++;
      cache.request(id, with(text(node.number, 1), 9)).lookup(id);
      cache.allocate(id);
      cache.release(id);
      node.hitCount++;
      node.lastAccess = clock++;
    }

    /** Numbers of the contents, as blocks without content are taken one after the other. */
    List<Integer> givenUp() {
      final List<Integer> gone = new ArrayList<>();
      final List<String> holding = new ArrayList<>();
      for (int i = 0; i <= CONTENTS; i++) {
        final String id = "takes " + requests++;
        cache.requestThatSkipsTheCache(id, 1, 2);
        cache.allocate(id);
        holding.add(id);
        for (Node node : nodes) {
          if (!gone.contains(node.number) && found(node) == 0) {
            gone.add(node.number);
          }
        }
      }
      holding.forEach(cache::release);
      return gone;
    }

    private int found(Node node) {
      final String id = "finds " + requests++;
      return cache.request(id, with(text(node.number, 1), 9)).lookup(id);
    }
  }

  /** A block as a policy sees it. */
  private record Seen(int id, int priority, int hits) implements EvictionPolicy.Block {}

  @ParameterizedTest
  @CsvSource({"35,0,35", "35,7,42", "35,50,85", "35,9999,85", "34,9,34", "90,0,90", "0,3,0"})
  void shouldCountHitsOfWhatNoRequestHasWishesFor(int priority, int hits, int expected) {
    assertThat(new LfuEviction().priorityOf(new Seen(1, priority, hits))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"35,0,35", "35,1,35", "35,2,36", "35,9999,36", "34,9,34", "90,0,90", "0,3,0"})
  void shouldProtectWhatWasFoundTwice(int priority, int hits, int expected) {
    assertThat(SlruEviction.DEFAULT.priorityOf(new Seen(1, priority, hits))).isEqualTo(expected);
    assertThat(KvCacheRetention.DEFAULT_PRIORITY).isEqualTo(35);
  }

  @Test
  void shouldNotProtectWhatWasNeverFound() {
    assertThatThrownBy(() -> new SlruEviction(0))
        .hasMessage("protectedThreshold must be >= 1: protectedThreshold=0");
  }
}
