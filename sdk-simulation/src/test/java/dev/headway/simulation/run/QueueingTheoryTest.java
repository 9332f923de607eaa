package dev.headway.simulation.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.record.FinishedRecord;
import dev.headway.events.record.RejectedRecord;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.workload.Workload;
import dev.headway.simulation.workload.WorkloadRequest;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One seat and one output token make the engine a queue with one server, whose mean wait is known
 * in closed form: {@code rho / (2 (1 - rho))} services for constant ones, {@code rho / (1 - rho)}
 * for exponential ones (Kleinrock, Queueing Systems I, 1975). The sum of the waits is that of
 * Lindley's recursion to the nanosecond.
 */
class QueueingTheoryTest {

  private static final int REQUESTS = 150_000;
  private static final int MEAN_TOKENS = 500;
  private static final long TOKEN_NS = 20_000;
  private static final long SEED = 12;

  /** Poisson arrivals of requests that are done after their prompt. */
  private static final class Arrivals implements Workload {
    private final Random random = new Random(SEED);
    private final double gapNs;
    private final ToIntFunction<Random> tokens;
    private double nowNs;
    private int made;
    private long latestNs;
    private long waitNs;
    private long serviceNs;

    /** What all requests wait, by Lindley's recursion over the same arrivals and services. */
    private long lindleyNs;

    Arrivals(double load, ToIntFunction<Random> tokens) {
      gapNs = MEAN_TOKENS * TOKEN_NS / load;
      this.tokens = tokens;
    }

    @Override
    public String name() {
      return "poisson";
    }

    @Override
    public OptionalLong sizeHint() {
      return OptionalLong.of(REQUESTS - made);
    }

    @Override
    public @Nullable WorkloadRequest next() {
      if (made == REQUESTS) {
        return null;
      }
      nowNs -= gapNs * Math.log(1 - random.nextDouble());
      final int prompt = tokens.applyAsInt(random);
      final long arrivalNs = Math.round(nowNs);
      waitNs = Math.max(0, waitNs + serviceNs - (arrivalNs - latestNs));
      lindleyNs += waitNs;
      latestNs = arrivalNs;
      serviceNs = prompt * TOKEN_NS;
      return new WorkloadRequest("r" + made++, arrivalNs, prompt, 1, new int[0], 0, null, 0);
    }

    @Override
    public void close() {
      made = REQUESTS;
    }
  }

  private static double meanServicesWaited(double load, ToIntFunction<Random> tokens) {
    final SchedulerConfig config =
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(1)
                    .maxNumBatchedTokens(16_384)
                    .maxModelLen(16_384)
                    .build())
            .build();
    final EngineSettings settings =
        new EngineSettings(
            config,
            KvCacheShape.builder().blockSize(256).blocks(128).build(),
            new LinearLatencyModel(0, TOKEN_NS, 0, 0),
            1);
    final long[] waitedNs = new long[1];
    final RunMeter meter =
        new RunMeter(
            new RunMeter.RequestEnds() {
              @Override
              public void finished(RequestTimeline request, FinishedRecord end) {
                waitedNs[0] += request.firstScheduledNs() - request.queued().arrivalNs();
              }

              @Override
              public void rejected(RejectedRecord rejection) {}
            });
    final Arrivals arrivals = new Arrivals(load, tokens);
    settings.run("queue", arrivals, meter.probe());
    assertThat(meter.done()).isEqualTo(REQUESTS);
    assertThat(waitedNs[0]).as("to the nanosecond, seed=%d", SEED).isEqualTo(arrivals.lindleyNs);
    return (double) waitedNs[0] / REQUESTS / (MEAN_TOKENS * TOKEN_NS);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.6, 0.8})
  void shouldWaitAsConstantServicesDo(double load) {
    assertThat(meanServicesWaited(load, random -> MEAN_TOKENS) / (load / (2 * (1 - load))))
        .as("M/D/1, seed=%d", SEED)
        .isCloseTo(1, within(0.02));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.3, 0.6}) // at 0.8 the mean of a sample this long is off by 3 %
  void shouldWaitAsExponentialServicesDo(double load) {
    final ToIntFunction<Random> exponential =
        random -> Math.max(1, (int) Math.round(-MEAN_TOKENS * Math.log(1 - random.nextDouble())));

    assertThat(meanServicesWaited(load, exponential) / (load / (1 - load)))
        .as("M/M/1, seed=%d", SEED)
        .isCloseTo(1, within(0.02));
  }
}
