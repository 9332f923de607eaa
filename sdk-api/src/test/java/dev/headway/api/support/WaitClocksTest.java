package dev.headway.api.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waiting time by cause, against clocks that visit every request at every instant. */
class WaitClocksTest {

  private static final int FIRST_SHARED = 2;
  private static final int OWN = 7;
  private static final long[] NO_ROOM = {};

  @Test
  void shouldAttributeIndividualCausesOneAfterTheOther() {
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED);
    final WaitClocks.Waits waits = new WaitClocks.Waits();

    clocks.begin(waits, 1, 100);
    clocks.own(waits, OWN, 130);
    clocks.own(waits, 1, 135);
    assertThat(waits.isOpen()).isTrue();
    clocks.end(waits, 142);

    assertThat(waits.isOpen()).isFalse();
    assertThat(clocks.take(waits, NO_ROOM)).containsExactly(0, 37, 0, 0, 0, 0, 0, 5);
    assertThat(clocks.take(waits, NO_ROOM)).as("taken").isEmpty();
  }

  @Test
  void shouldAttributeTheSharedCauseAsItChanges() {
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED);
    final WaitClocks.Waits early = new WaitClocks.Waits();
    final WaitClocks.Waits late = new WaitClocks.Waits();

    clocks.begin(early, OWN, 100);
    clocks.share(early, 110);
    clocks.begin(late, OWN, 115);
    clocks.share(late, 116);
    assertThat(clocks.sharers()).isEqualTo(2);
    clocks.share(3, 120);
    assertThat(clocks.shared()).isEqualTo(3);
    clocks.own(early, OWN, 124);

    assertThat(early.sharesCause()).isFalse();
    assertThat(late.sharesCause()).isTrue();
    assertThat(clocks.sharers()).isEqualTo(1);
    assertThat(clocks.end(early, 130, NO_ROOM)).containsExactly(0, 0, 10, 4, 0, 0, 0, 16);
    assertThat(clocks.end(late, 131, NO_ROOM)).containsExactly(0, 0, 4, 11, 0, 0, 0, 1);
    assertThat(clocks.sharers()).isZero();
  }

  @Test
  void shouldFillWhatItIsGivenIfThereIsRoom() {
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED);
    final WaitClocks.Waits waits = new WaitClocks.Waits();
    final long[] room = {9, 9, 9, 9};

    clocks.begin(waits, 3, 0);
    assertThat(clocks.end(waits, 5, room)).isSameAs(room).containsExactly(0, 0, 0, 5);

    clocks.begin(waits, 4, 10);
    assertThat(clocks.end(waits, 12, room)).as("one too short").containsExactly(0, 0, 0, 0, 2);
    assertThat(clocks.end(waits, 20, room)).as("it did not wait").containsExactly(0, 0, 0, 0);
  }

  /** What an observer of the shared wait is given adds up to what its requests have of it. */
  @Test
  void shouldReportTheSharedWaitInSpans() {
    final List<String> spans = new ArrayList<>();
    final WaitClocks clocks =
        new WaitClocks(FIRST_SHARED) {
          @Override
          protected void onShared(long fromNs, long toNs, int requests) {
            spans.add(shared() + ": " + fromNs + ".." + toNs + " x" + requests);
          }
        };
    final WaitClocks.Waits one = new WaitClocks.Waits();
    final WaitClocks.Waits other = new WaitClocks.Waits();

    clocks.begin(one, OWN, 10);
    clocks.share(one, 10);
    clocks.begin(other, OWN, 10);
    clocks.share(other, 14);
    clocks.share(5, 20);
    clocks.end(one, 21);
    clocks.end(other, 30);
    clocks.share(6, 40); // while there is no request

    assertThat(spans)
        .containsExactly("2: 10..14 x1", "2: 14..20 x2", "5: 20..21 x2", "5: 21..30 x1");
  }

  @Test
  void shouldSayUpToWhenItsTimeIsAccountedFor() {
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED);
    final Accounted waits = new Accounted();

    clocks.begin(waits, OWN, 100);
    assertThat(waits.upToNs()).isEqualTo(100);
    clocks.own(waits, 1, 130);
    assertThat(waits.upToNs()).isEqualTo(130);
    clocks.share(waits, 140);
    assertThat(waits.upToNs()).isEqualTo(140);
    clocks.share(3, 150);
    assertThat(waits.upToNs()).as("the shared clock goes on by itself").isEqualTo(140);
    clocks.end(waits, 160);
    assertThat(waits.upToNs()).isEqualTo(160);
  }

  private static final class Accounted extends WaitClocks.Waits {
    long upToNs() {
      return accountedUpToNs();
    }
  }

  @Test
  void shouldAllocateNothingOnceWarm() {
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED);
    waitAndLeave(clocks, 20_000);

    final long before = allocatedBytes();
    waitAndLeave(clocks, 20_000);
    final long allocated = allocatedBytes() - before;

    assertThat(allocated).as("bytes in 20,000 rounds").isLessThan(20_000);
  }

  /** One request leaves before the shared cause changes, the other after it has. */
  private static void waitAndLeave(WaitClocks clocks, int rounds) {
    final WaitClocks.Waits before = new WaitClocks.Waits();
    final WaitClocks.Waits after = new WaitClocks.Waits();
    final long[] byCauseNs = new long[OWN + 1];
    long nowNs = 0;
    for (int i = 0; i < rounds; i++) {
      clocks.begin(before, OWN, nowNs++);
      clocks.share(before, nowNs++);
      clocks.end(before, nowNs++, byCauseNs);
      clocks.share(i % 2, nowNs++);
      clocks.begin(after, OWN, nowNs++);
      clocks.share(after, nowNs++);
      clocks.share(2 + i % 2, nowNs++);
      clocks.end(after, nowNs++, byCauseNs);
    }
  }

  private static long allocatedBytes() {
    return ((ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void shouldAgreeWithClocksOfEachRequest(long seed) {
    final Random random = new Random(seed);
    final WaitClocks clocks = new WaitClocks(FIRST_SHARED, FIRST_SHARED + 1 + random.nextInt(3));
    final List<Naive> all = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      all.add(new Naive());
    }
    int shared = FIRST_SHARED;
    long nowNs = 0;
    for (int step = 0; step < 3_000; step++) {
      final long passedNs = random.nextInt(4); // often none
      for (Naive each : all) {
        each.pass(shared, passedNs);
      }
      nowNs += passedNs;
      final Naive request = all.get(random.nextInt(all.size()));
      final int cause = random.nextInt(24);
      final String when = "seed=" + seed + ", step=" + step;
      if (random.nextInt(6) == 0) {
        clocks.share(cause, nowNs);
        shared = cause;
      } else if (!request.waits.isOpen()) {
        clocks.begin(request.waits, cause, nowNs);
        request.begin(cause);
      } else {
        switch (random.nextInt(5)) {
          case 0 -> {
            clocks.own(request.waits, cause, nowNs);
            request.begin(cause);
          }
          case 1, 2 -> {
            if (!request.waits.sharesCause()) {
              clocks.share(request.waits, nowNs);
              request.shares = true;
            }
          }
          case 3 -> {
            clocks.end(request.waits, nowNs);
            request.open = false;
          }
          default -> {
            assertThat(clocks.end(request.waits, nowNs, new long[24]))
                .as(when)
                .isEqualTo(request.byCauseNs);
            request.ended();
          }
        }
      }
      assertThat(request.waits.isOpen()).as(when).isEqualTo(request.open);
      assertThat(clocks.sharers())
          .as(when)
          .isEqualTo((int) all.stream().filter(each -> each.waits.sharesCause()).count());
    }
  }

  /** A request that counts for itself. */
  private static final class Naive {
    private final WaitClocks.Waits waits = new WaitClocks.Waits();
    private long[] byCauseNs = new long[24];
    private boolean open;
    private boolean shares;
    private int cause;

    void begin(int own) {
      open = true;
      shares = false;
      cause = own;
    }

    void pass(int shared, long ns) {
      if (open) {
        byCauseNs[shares ? shared : cause] += ns;
      }
    }

    void ended() {
      open = false;
      shares = false;
      byCauseNs = new long[24];
    }
  }
}
