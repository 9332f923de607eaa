package dev.headway.api.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KvCacheEventsTest {

  private final Seen seen = new Seen();
  private final KvCacheEvents events = new KvCacheEvents(seen);

  @Test
  void shouldPassOnWhatHappensWithTheStepItBelongsTo() {
    events.removed(11, 0);
    events.beginStep(7);
    events.removed(-12, 3);
    events.cleared();
    events.beginStep(8);
    events.cleared();

    assertThat(seen.lines)
        .containsExactly(
            "step 0 removed 11 of group 0",
            "step 7 removed -12 of group 3",
            "step 7 cleared",
            "step 8 cleared");
    assertThat(events.stepId()).isEqualTo(8);
  }

  @Test
  void shouldPassOnTheBlocksStoredAsTheyAre() {
    final KvBlocksStored blocks = new KvBlocksStoredTest.FixedBlocks(32, 16);

    events.stored(blocks);

    assertThat(seen.stored).containsExactly(blocks);
  }

  /** Writes down what it gets, while it gets it: events are valid during the call only. */
  private static final class Seen implements KvCacheListener {
    private final List<String> lines = new ArrayList<>();
    private final List<KvBlocksStored> stored = new ArrayList<>();

    @Override
    public void onKvStored(KvBlocksStored event) {
      stored.add(event);
    }

    @Override
    public void onKvRemoved(KvBlockRemoved event) {
      lines.add(
          "step %d removed %d of group %d"
              .formatted(event.stepId(), event.contentHash(), event.group()));
    }

    @Override
    public void onKvCleared(KvCacheCleared event) {
      lines.add("step %d cleared".formatted(event.stepId()));
    }
  }
}
