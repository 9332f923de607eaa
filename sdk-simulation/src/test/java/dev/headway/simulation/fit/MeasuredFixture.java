package dev.headway.simulation.fit;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.step.LatencyModel;
import dev.headway.api.step.StepFeatures;
import dev.headway.scheduler.sim.LinearLatencyModel;
import dev.headway.simulation.calibrate.LatencyMetric;
import dev.headway.simulation.model.ForwardPass;
import dev.headway.simulation.run.EngineSettings;
import dev.headway.simulation.step.ArrivalDelay;
import dev.headway.simulation.step.ForwardPassTime;
import dev.headway.simulation.step.HostTime;
import dev.headway.simulation.step.OperatorTimes;
import dev.headway.simulation.step.Roofline;
import dev.headway.simulation.step.Roofline.Shares;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

/** What clients measured of servers whose numbers are known, with noise. */
final class MeasuredFixture {

  private static final long SEED = 1;
  private static final double STEP_NOISE = 0.03;
  private static final double CLIENT_NOISE_S = 0.001;
  private static final int LONGEST = 4_000;

  private MeasuredFixture() {}

  static EngineSettings engine(int maxNumSeqs) {
    return engine(maxNumSeqs, 20_000);
  }

  static EngineSettings engine(int maxNumSeqs, int blocks) {
    return engine(maxNumSeqs, blocks, 16_384);
  }

  static EngineSettings engine(int maxNumSeqs, int blocks, int maxModelLen) {
    return new EngineSettings(
        SchedulerConfig.builder(
                SchedulerLimits.builder()
                    .maxNumSeqs(maxNumSeqs)
                    .maxNumBatchedTokens(2_048)
                    .maxModelLen(maxModelLen)
                    .build())
            .build(),
        KvCacheShape.builder().blockSize(16).blocks(blocks).bytesPerBlock(2_097_152).build(),
        LinearLatencyModel.LLAMA_3_1_8B_ON_H100,
        SEED);
  }

  /**
   * The steps of a server.
   *
   * @param factors by OperatorKind, of the peaks of an H100
   */
  static LatencyModel server(
      ForwardPass pass, double[] factors, double stepNs, double requestNs, long arrivalToQueueNs) {
    return server(
        pass,
        new Roofline(RecordedFixture.H100, Shares.PEAK),
        factors,
        stepNs,
        requestNs,
        arrivalToQueueNs);
  }

  static LatencyModel server(
      ForwardPass pass,
      OperatorTimes base,
      double[] factors,
      double stepNs,
      double requestNs,
      long arrivalToQueueNs) {
    final LatencyModel steps =
        new ForwardPassTime(
            pass, new ScaledOperators(base, factors), new HostTime(stepNs, requestNs));
    return new Server(steps, arrivalToQueueNs, new Random(SEED));
  }

  private record Server(LatencyModel steps, long arrivalToQueueNs, Random random)
      implements LatencyModel, ArrivalDelay {

    @Override
    public long stepNs(StepFeatures step) {
      return Math.round(steps.stepNs(step) * Math.exp(STEP_NOISE * random.nextGaussian()));
    }
  }

  /** A CSV file of what was measured: prompts and answers lognormal, arrivals Poisson. */
  static Path measured(
      Path file, LatencyModel server, EngineSettings engine, double perSecond, int requests)
      throws IOException {
    final Random random = new Random(SEED + requests);
    final StringBuilder load =
        new StringBuilder("request_id,arrival_s,input_tokens,output_tokens,ttft_s,e2e_s\n");
    double arrival = 0;
    for (int i = 0; i < requests; i++) {
      arrival -= Math.log(1 - random.nextDouble()) / perSecond;
      load.append(row(i, arrival, length(random, 350), length(random, 40), 1, 2));
    }
    Files.writeString(file, load.toString());
    final MeasuredRun run = MeasuredRun.read(file, engine);
    final SimulatedLatencies latencies = SimulatedLatencies.of(run, server);
    final StringBuilder rows = new StringBuilder();
    for (int i = 0; i < requests; i++) {
      final double client = -CLIENT_NOISE_S * Math.log(1 - random.nextDouble());
      rows.append(
          row(
              i,
              run.load().get(i).arrivalNs() / 1e9,
              run.load().get(i).inputTokens(),
              run.load().get(i).outputTokens(),
              latencies.ns(LatencyMetric.TTFT, i) / 1e9 + client,
              latencies.ns(LatencyMetric.E2E, i) / 1e9 + client));
    }
    Files.writeString(file, load.substring(0, load.indexOf("\n") + 1) + rows);
    return file;
  }

  private static int length(Random random, double median) {
    return Math.clamp(Math.round(median * Math.exp(0.8 * random.nextGaussian())), 4, LONGEST);
  }

  private static String row(
      int id, double arrival, int input, int output, double ttft, double endToEnd) {
    return String.format(
        Locale.ROOT, "r%d,%.6f,%d,%d,%.6f,%.6f%n", id, arrival, input, output, ttft, endToEnd);
  }
}
