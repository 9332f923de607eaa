package dev.headway.scheduler.engine;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.probe.MappedMemoryProbe;
import dev.headway.api.probe.PlannedEvent;
import dev.headway.api.probe.StepCompletedEvent;
import dev.headway.scheduler.time.VirtualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Cuts mapped files under the probes that write to them, again and again, and prints what that did
 * to the engine. A program of its own: only in a JVM that has run nothing else does the compiler
 * inline the probes into the step, which is what lets a fault past the guard.
 */
final class MappedFaultRun {

  private static final int C2_WARM_UP_STEPS = 60_000;
  private static final int OUTPUTS = 50;

  private MappedFaultRun() {}

  /** Arguments: probes, rounds, directory. */
  public static void main(String[] arguments) throws IOException {
    final int probes = Integer.parseInt(arguments[0]);
    final int rounds = Integer.parseInt(arguments[1]);
    final Path directory = Path.of(arguments[2]);
    long lost = 0;
    long stepsFailed = 0;
    long detached = 0;
    for (int round = 0; round < rounds; round++) {
      final List<MappedProbe> mapped = new ArrayList<>();
      final EngineBuilder builder =
          HeadwayEngine.builder(Engines.executor())
              .limits(Engines.LIMITS)
              .clock(new VirtualClock());
      for (int i = 0; i < probes; i++) {
        mapped.add(newProbe(i, directory.resolve("journal-" + round + "-" + i)));
        builder.probe(mapped.get(i));
      }
      final Engine engine = builder.build();
      runSteps(engine, round == 0 ? C2_WARM_UP_STEPS : C2_WARM_UP_STEPS / 10);
      final RequestHandle running = engine.submit(Engines.request("running", OUTPUTS));
      engine.step();

      for (MappedProbe probe : mapped) {
        probe.channel.truncate(0);
      }
      Engines.stepUntilIdle(engine);

      lost += OUTPUTS - Engines.outcome(running).outputTokens();
      stepsFailed += engine.stats().stepsFailed();
      detached += engine.stats().probesDetached();
      Engines.assertHealthy(engine);
      engine.close();
    }
    System.out.println(report(lost, stepsFailed, detached));
  }

  /** What the program prints. */
  static String report(long lost, long stepsFailed, long detached) {
    return "lost=" + lost + ", stepsFailed=" + stepsFailed + ", detached=" + detached;
  }

  private static void runSteps(Engine engine, int steps) {
    final long until = engine.stats().steps() + steps;
    int number = 0;
    while (engine.stats().steps() < until) {
      engine.submit(Engines.request("warm-up-" + number++, 100));
      Engines.stepUntilIdle(engine);
    }
  }

  /** Classes of their own, so that one, two or four meet at the call. */
  private static MappedProbe newProbe(int index, Path file) throws IOException {
    return switch (index) {
      case 0 -> new MappedProbe(file);
      case 1 -> new MappedProbe(file) {};
      case 2 -> new MappedProbe(file) {};
      default -> new MappedProbe(file) {};
    };
  }

  /** Writes a long to a mapped file at each planned and each completed step. */
  private static class MappedProbe implements MappedMemoryProbe {

    private static final int BYTES = 8_192;

    private final FileChannel channel;
    private final MappedByteBuffer mapping;
    private int position;

    MappedProbe(Path file) throws IOException {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      channel.write(ByteBuffer.allocate(BYTES), 0);
      mapping = channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES);
    }

    @Override
    public void onPlanned(PlannedEvent event) {
      write(event.plan().stepId());
    }

    @Override
    public void onStepCompleted(StepCompletedEvent event) {
      write(event.endNs());
    }

    private void write(long value) {
      mapping.putLong(position, value);
      position = (position + Long.BYTES) % BYTES;
      MappedMemoryProbe.surfaceFaults();
    }

    @Override
    public void close() {
      try {
        channel.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
