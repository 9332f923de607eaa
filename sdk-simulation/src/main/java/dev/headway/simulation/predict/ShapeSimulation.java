package dev.headway.simulation.predict;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.Request;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.simulation.run.ClosedLoop;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.toolbox.stats.Distribution;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Requests of one shape in a closed loop: as many clients as requests are alive at once, each of
 * which sends the next when its last one has ended. Prompts share nothing. The first of each client
 * is not measured; its answer is shorter for one client than for the next, so that they do not end
 * together ever after. What step times know of the way to the queue is added to each latency; it
 * delays no client. One thread.
 */
public final class ShapeSimulation {

  private static final int LEAST_MEASURED = 200;
  private static final int PER_CLIENT = 5;

  private final RequestShape shape;
  private final long toQueueNs;
  private final Distribution ttft = new Distribution();
  private final Distribution itl = new Distribution();
  private final Distribution e2e = new Distribution();

  private ShapeSimulation(RequestShape shape, long toQueueNs) {
    this.shape = shape;
    this.toQueueNs = toQueueNs;
  }

  /** Simulates to the end. */
  public static ShapeSimulation run(RequestShape shape, EngineSettings settings) {
    final ShapeSimulation simulation = new ShapeSimulation(shape, settings.arrivalToQueueNs());
    final VirtualClock clock = new VirtualClock();
    final int total =
        shape.concurrency() + Math.max(LEAST_MEASURED, PER_CLIENT * shape.concurrency());
    try (Engine engine = settings.engine(clock, "shape", model -> model).build()) {
      new ClosedLoop(
              engine,
              shape.concurrency(),
              simulation.requests(total),
              request -> simulation.listener(request, clock))
          .run();
    }
    return simulation;
  }

  private Iterator<Request> requests(int total) {
    return new Iterator<>() {
      private int made;

      @Override
      public boolean hasNext() {
        return made < total;
      }

      @Override
      public Request next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        final int[] prompt = new int[shape.inputTokens()];
        for (int i = 0; i < prompt.length; i++) { // differs from other prompts in its first block
          prompt[i] = (int) ((made * 7_919L + i * 31L) % (EngineSettings.VOCABULARY_SIZE - 1));
        }
        final int outputs = outputs(made);
        return Request.builder(Integer.toString(made++), prompt).maxTokens(outputs).build();
      }
    };
  }

  private int outputs(int number) {
    return number < shape.concurrency()
        ? Math.ceilDiv(shape.outputTokens() * (number + 1), shape.concurrency())
        : shape.outputTokens();
  }

  private TokenListener listener(Request request, VirtualClock clock) {
    if (Integer.parseInt(request.id()) < shape.concurrency()) {
      return TokenListener.NONE;
    }
    final long sentNs = clock.nanoTime();
    return new TokenListener() {
      private long latestNs;

      @Override
      public void onToken(int index, int tokenId) {
        final long nowNs = clock.nanoTime();
        if (index == 0) {
          ttft.add(toQueueNs + nowNs - sentNs);
        } else {
          itl.add(nowNs - latestNs);
        }
        latestNs = nowNs;
        if (index == shape.outputTokens() - 1) {
          e2e.add(toQueueNs + nowNs - sentNs);
        }
      }
    };
  }

  /** Times from sending to the first token, in ns. */
  public Distribution ttft() {
    return ttft;
  }

  /** Times between tokens, in ns. */
  public Distribution itl() {
    return itl;
  }

  /** Times from sending to the last token, in ns. */
  public Distribution e2e() {
    return e2e;
  }
}
