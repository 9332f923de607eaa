package dev.headway.cuda.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Order of work on streams, events, graphs, and the two hazards of asynchronous copies. */
@OnCudaDriver
class StreamTest {
  private static final int INTS = 100;
  private static final long BYTES = 4L * INTS;

  private CudaDevice device;
  private CudaStream stream;
  private DeviceBuffer data;
  private PinnedBuffer host;
  private Kernel add;

  @BeforeEach
  void open() {
    device = CudaDevice.open(0);
    stream = device.newStream();
    data = device.allocate(MemoryUse.of("data"), BYTES);
    host = device.allocatePinned(MemoryUse.of("host"), BYTES);
    add = TestModule.add(device);
    add(stream, 1); // brings its code to the device: a first launch must not be recorded
    stream.fill(data, 0, BYTES, (byte) 0);
    stream.synchronize();
  }

  @AfterEach
  void close() {
    if (device != null) {
      device.close();
    }
  }

  private void lazily() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  private void add(CudaStream on, int amount) {
    add.pointer(data.address()).i32(INTS).i32(amount).launch(on, 1, 1, 1, 128, 0);
  }

  private int hostValue(int index) {
    return host.segment().getAtIndex(ValueLayout.JAVA_INT, index);
  }

  @Test
  void shouldDoWorkInOrder() {
    host.segment().fill((byte) 0);
    stream.copyToDevice(data, 0, host, 0, BYTES);
    add(stream, 5);
    add(stream, 2);
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.synchronize();

    assertThat(hostValue(0)).isEqualTo(7);
    assertThat(hostValue(INTS - 1)).isEqualTo(7);
  }

  @Test
  @EmulatorOnly("a device may win the race that the emulator always loses")
  void shouldShowASourceThatWasOverwrittenTooEarly() {
    lazily();
    host.segment().fill((byte) 1);
    stream.copyToDevice(data, 0, host, 0, BYTES);
    host.segment().fill((byte) 9); // the mistake: the copy has not happened yet
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.synchronize();

    assertThat(hostValue(0)).isEqualTo(0x09090909);
  }

  @Test
  @EmulatorOnly("a device may win the race that the emulator always loses")
  void shouldShowAResultThatWasReadTooEarly() {
    lazily();
    host.segment().fill((byte) 0);
    add(stream, 5);
    stream.copyToHost(host, 0, data, 0, BYTES);
    final int tooEarly = hostValue(0);
    stream.synchronize();

    assertThat(tooEarly).isZero();
    assertThat(hostValue(0)).isEqualTo(5);
  }

  @Test
  void shouldPassAnEventWhenItsStreamHasGotThere() {
    final CudaEvent start = device.newEvent();
    final CudaEvent end = device.newEvent();
    stream.record(start);
    for (int i = 0; i < 100; i++) {
      add(stream, 1);
    }
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.record(end);

    end.synchronize();
    assertThat(hostValue(INTS - 1)).isEqualTo(100);
    assertThat(end.isDone()).isTrue();
    assertThat(stream.isIdle()).isTrue();
    assertThat(end.elapsedNsSince(start)).isPositive();
  }

  @Test
  @EmulatorOnly("a device may be done before it is asked")
  void shouldPassNoEventBeforeItsStreamGetsThere() {
    lazily();
    final CudaEvent event = device.newEvent();
    add(stream, 1);
    stream.record(event);

    assertThat(event.isDone()).isFalse();
    assertThat(stream.isIdle()).isFalse();
  }

  @Test
  void shouldGetThereByPollingToo() {
    lazily();
    final CudaEvent event = device.newEvent();
    add(stream, 1);
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.record(event);
    final long deadlineNs = System.nanoTime() + 10_000_000_000L;

    int questions = 1;
    while (!event.isDone() && System.nanoTime() < deadlineNs) {
      questions++;
    }

    assertThat(hostValue(0)).isEqualTo(1);
    if (Emulator.isActive()) {
      assertThat(questions).isEqualTo(4); // one piece of work per question, then the answer
    }
  }

  @Test
  void shouldOrderStreamsByEvents() {
    lazily();
    final CudaStream second = device.newStream();
    final CudaEvent added = device.newEvent();
    add(stream, 3);
    stream.record(added);
    second.waitFor(added);
    second.copyToHost(host, 0, data, 0, BYTES);
    second.synchronize(); // only this one

    assertThat(hostValue(0)).isEqualTo(3);
  }

  @Test
  void shouldDoNothingWhileRecordingAndAllOfItAtEachLaunch() {
    final CudaGraph graph =
        stream.capture(
            () -> {
              add(stream, 10);
              add(stream, 1);
              stream.copyToHost(host, 0, data, 0, BYTES);
            });
    host.segment().fill((byte) 0);
    stream.synchronize();
    assertThat(hostValue(0)).isZero();

    lazily();
    graph.launch(stream);
    graph.launch(stream);
    stream.synchronize();

    assertThat(hostValue(0)).isEqualTo(22);
  }

  @Test
  void shouldDropARecordingThatFails() {
    assertThatThrownBy(
            () ->
                stream.capture(
                    () -> {
                      throw new IllegalStateException("mine");
                    }))
        .hasMessage("mine");
    add(stream, 1); // not recorded any more
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.synchronize();

    assertThat(hostValue(0)).isEqualTo(1);
  }

  @Test
  void shouldRefuseToWaitWhileRecording() {
    assertThatThrownBy(() -> stream.capture(stream::synchronize))
        .hasMessageStartingWith("cuStreamSynchronize failed: result=900");
  }

  @Test
  void shouldCopyArgumentsAtTheLaunch() {
    lazily();
    add(stream, 1);
    add(stream, 100); // rewrites the kernel's argument block before the first has run
    stream.copyToHost(host, 0, data, 0, BYTES);
    stream.synchronize();

    assertThat(hostValue(0)).isEqualTo(101);
  }

  @Test
  void shouldAllocateNothingOnTheHeapPerStep() {
    final com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
    final CudaGraph graph = stream.capture(() -> add(stream, 1));
    final CudaEvent start = device.newEvent();
    final CudaEvent end = device.newEvent();
    for (int i = 0; i < 20_000; i++) {
      step(graph, start, end);
    }

    final long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 1_000; i++) {
      step(graph, start, end);
    }
    final long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(allocated).isLessThan(1_000); // the measuring itself; a step's worth would be more
  }

  private void step(CudaGraph graph, CudaEvent start, CudaEvent end) {
    stream.copyToDevice(data, 0, host, 0, 8);
    stream.record(start);
    add.pointer(data.address()).i32(0).i32(1).launch(stream, 1, 1, 1, 1, 0);
    stream.copyToHost(host, 0, data, 0, 8);
    stream.record(end);
    end.synchronize();
    if (end.elapsedNsSince(start) < 0 || !stream.isIdle() || graph.isClosed()) {
      throw new IllegalStateException();
    }
  }
}
