package dev.headway.routing.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.routing.kvevents.codec.KvBlockHash;
import dev.headway.routing.kvevents.codec.KvEvent;
import dev.headway.routing.kvevents.codec.KvEvent.BlockRemoved;
import dev.headway.routing.kvevents.codec.KvEvent.BlockStored;
import dev.headway.routing.kvevents.codec.KvExtraKeys;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What others are told of an engine's blocks. */
class CacheChangesTest {

  private static final CacheChange REMOVED = new CacheChange.Removed(7, 0);

  @Test
  void shouldRemoveABlockWithItsLastCopy() {
    final CacheChanges changes = new CacheChanges(null);

    changes.events(List.of(stored(false), stored(false)));

    assertThat(changes.events(List.of(REMOVED))).isEmpty();
    assertThat(changes.events(List.of(REMOVED)))
        .containsExactly(new BlockRemoved(List.of(KvBlockHash.ofLong(7)), "GPU", 0));
    assertThat(changes.events(List.of(REMOVED))).isEmpty();
  }

  @Test
  void shouldNotTakeABlockThatIsFoundAgainForACopy() {
    final CacheChanges changes = new CacheChanges(null);

    final List<KvEvent> events = changes.events(List.of(stored(true), stored(true)));

    assertThat(events).hasSize(2);
    assertThat(changes.events(List.of(REMOVED))).hasSize(1);
  }

  @Test
  void shouldTellWhatKeepsBlocksApart() {
    final BlockStored event =
        (BlockStored) new CacheChanges(null).events(List.of(stored(false))).get(0);

    assertThat(event.extraKeys())
        .isEqualTo(new KvExtraKeys(List.of(List.of("adapter", "salt"), List.of("adapter"))));
    assertThat(event.loraId()).isEqualTo(3);
    assertThat(event.loraName()).isEqualTo("adapter");
  }

  private static CacheChange stored(boolean mayRepeat) {
    return new CacheChange.Stored(
        new long[] {7, 8}, true, 0, new int[] {1, 2, 3, 4}, 2, 0, "adapter", 3, "salt", mayRepeat);
  }
}
