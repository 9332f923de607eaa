package dev.headway.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.request.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that are gone leave no prefix behind, nor the root of a salt that a client has chosen.
 */
class PrefixesInUseTest {

  private static final int REQUESTS = 2_000;
  private static final int SETTLED = 20;

  @ParameterizedTest
  @ValueSource(ints = {0, 4})
  void shouldBeTheBlocksOnesAlone(int hostBlocks) {
    final KvFixture given = KvFixture.cache().usableBlocks(8).hostBlocks(hostBlocks);
    final Room room = new Room(given.manager());

    for (int number = 0; number < REQUESTS; number++) {
      final String id = "r" + number;
      given.saltedRequest(id, "salt" + number, KvFixture.text(number, 3));
      given.allocate(id);
      given.step(number + 1);
      given.release(id);
      given.manager().close(given.sequence(id));
      room.look(number);
    }

    assertThat(room.grewLast).isLessThan(SETTLED);
  }

  @Test
  void shouldBeTheBlocksOnesAloneInSeveralGroups() {
    final GroupedFixture given =
        GroupedFixture.cache(GroupedFixture.full(4), GroupedFixture.window(4, 8)).usableBlocks(12);
    final Room room = new Room(given.manager());

    for (int number = 0; number < REQUESTS; number++) {
      final String id = "r" + number;
      given.request(
          Request.builder(id, GroupedFixture.text(number, 12)).cacheSalt("salt" + number));
      given.allocateChunk(id, 8);
      given.extend(id, 4);
      given.nextStep();
      given.release(id);
      given.manager().close(given.sequence(id));
      room.look(number);
    }

    assertThat(room.grewLast).isLessThan(SETTLED);
  }

  @Test
  void shouldNotBeThoseOfRequestsThatFoundNothing() {
    final KvFixture given = KvFixture.cache().usableBlocks(8);
    final Room room = new Room(given.manager());

    for (int number = 0; number < REQUESTS; number++) {
      final String id = "r" + number;
      given.saltedRequest(id, "salt" + number, KvFixture.text(number, 3));
      given.lookup(id);
      given.manager().close(given.sequence(id));
      room.look(number);
    }

    assertThat(room.grewLast).isLessThan(SETTLED);
  }

  /** When there was more room for prefixes made than before, which is never given back. */
  private static final class Room {
    private final PooledKvCache manager;
    private int capacity;
    private int grewLast;

    Room(PooledKvCache manager) {
      this.manager = manager;
    }

    void look(int number) {
      if (manager.prefixCapacity() > capacity) {
        capacity = manager.prefixCapacity();
        grewLast = number;
      }
    }
  }
}
