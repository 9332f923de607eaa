package dev.headway.events.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.events.record.RecordCursor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RecordRingTest {

  private static final int CAPACITY = 1 << 14;
  private static final long SEED = 20_261_121L;

  @Test
  void shouldTakeRecordsUntilItIsFullAndGoOnWhenTheyAreReleased() {
    final RecordRing ring = new RecordRing(CAPACITY);
    final RecordCursor cursor = new RecordCursor();
    final byte[] record = record(1, 4_000);
    int taken = 0;
    while (ring.hasRoom(record.length)) {
      ring.write(record, record.length);
      taken++;
    }
    assertThat(taken).isEqualTo(4);

    assertThat(ring.next(cursor)).isTrue();
    assertThat(ring.hasRoom(record.length)).as("read, not released").isFalse();
    assertThat(ring.next(cursor)).isTrue();
    ring.release();

    assertThat(ring.hasRoom(record.length)).isTrue();
  }

  @Test
  void shouldTakeTheLongestRecordWhereverItStands() {
    for (int before = 32; before < CAPACITY; before += 4) {
      final RecordRing ring = new RecordRing(CAPACITY);
      final RecordCursor cursor = new RecordCursor();
      if (ring.hasRoom(before)) {
        ring.write(record(0, before), before);
        assertThat(ring.next(cursor)).isTrue();
        ring.release();
      }

      assertThat(ring.hasRoom(ring.longestRecord())).as("after %d bytes", before).isTrue();
      ring.write(record(7, ring.longestRecord()), ring.longestRecord());

      assertThat(ring.next(cursor)).isTrue();
      assertThat(cursor.sequence()).isEqualTo(7);
      assertThat(cursor.length()).isEqualTo(ring.longestRecord());
      assertThat(ring.next(cursor)).isFalse();
    }
  }

  @Test
  void shouldCarryEveryRecordWholeAndInOrderBetweenThreads() throws InterruptedException {
    final int records = 300_000;
    final RecordRing ring = new RecordRing(CAPACITY);
    final AtomicReference<String> fault = new AtomicReference<>();
    final Thread reader =
        Thread.ofPlatform()
            .start(
                () -> {
                  final RecordCursor cursor = new RecordCursor();
                  final SplittableRandom lengths = new SplittableRandom(SEED);
                  for (int i = 1; i <= records && fault.get() == null; i++) {
                    while (!ring.next(cursor)) {
                      Thread.onSpinWait();
                    }
                    final int length = lengthOf(lengths);
                    if (cursor.sequence() != i || cursor.length() != length) {
                      fault.set(
                          "record "
                              + i
                              + ": sequence="
                              + cursor.sequence()
                              + ", length="
                              + cursor.length()
                              + ", seed="
                              + SEED);
                    }
                    if (i % 3 == 0) {
                      ring.release();
                    }
                  }
                  ring.release();
                });
    final SplittableRandom lengths = new SplittableRandom(SEED);
    for (int i = 1; i <= records && fault.get() == null; i++) {
      final byte[] record = record(i, lengthOf(lengths));
      while (!ring.hasRoom(record.length) && fault.get() == null) {
        Thread.onSpinWait();
      }
      ring.write(record, record.length);
    }
    reader.join();

    assertThat(fault.get()).isNull();
  }

  private static int lengthOf(SplittableRandom random) {
    return 4 * random.nextInt(5, random.nextInt(8) == 0 ? 1_000 : 40);
  }

  private static byte[] record(long sequence, int length) {
    final ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0, length).putLong(8, sequence);
    return bytes.array();
  }
}
