package dev.headway.executor.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.EngineStats;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.Executor;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TestModels;
import dev.headway.kvcache.disk.DiskKvTier;
import dev.headway.kvcache.disk.DiskKvTierStats;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.VirtualClock;
import dev.headway.testkit.files.FaultyFiles;
import dev.headway.testkit.files.FileCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Engines with a trained model and a tier of files: the tokens are those without it. */
@Timeout(120)
class DiskKvTierEngineTest {

  private static final int BLOCK_SIZE = 8;
  private static final int BLOCKS = 40;
  private static final int MAX_MODEL_LEN = 96;
  private static final long MUCH = 1L << 30;

  @TempDir private Path folder;
  private final Model model = Model.load(TestModels.stories260K());

  @AfterEach
  void close() {
    model.close();
  }

  /** An engine with empty blocks, and its tier. */
  private final class Run implements AutoCloseable {
    private final Executor executor =
        ReferenceExecutor.builder(model, new VirtualClock())
            .blockSize(BLOCK_SIZE)
            .numBlocks(BLOCKS + 1)
            .build();
    private final DiskKvTier tier;
    private final Engine engine;

    Run(Path path, long maxBytes, KvLoadFailurePolicy policy) throws IOException {
      tier =
          DiskKvTier.builder(path, executor.kvBlockAccess(), executor.shape().kvCache())
              .model("stories260K")
              .maxBytes(maxBytes)
              .open();
      final SchedulerLimits limits =
          SchedulerLimits.builder()
              .maxNumSeqs(5)
              .maxNumBatchedTokens(40)
              .maxModelLen(MAX_MODEL_LEN)
              .build();
      engine =
          HeadwayEngine.builder(executor)
              .clock(new VirtualClock())
              .config(SchedulerConfig.builder(limits).kvLoadFailurePolicy(policy).build())
              .kvConnector(tier)
              .build();
    }

    Map<String, int[]> tokens(List<Request> requests) {
      final Map<String, RequestHandle> handles = new LinkedHashMap<>();
      requests.forEach(request -> handles.put(request.id(), engine.submit(request)));
      final Map<String, int[]> tokens = new LinkedHashMap<>();
      handles.forEach((id, handle) -> tokens.put(id, finished(handle).outputTokenIds()));
      return tokens;
    }

    Finished finished(RequestHandle handle) {
      while (!handle.isDone()) {
        step();
      }
      return (Finished) handle.outcome().toCompletableFuture().join();
    }

    void step() {
      assertThat(Thread.interrupted()).as("waited too long").isFalse();
      if (!engine.step()) {
        Thread.yield(); // a transfer is out
      }
    }

    /** Steps until nothing is out; every block must be free then. */
    EngineStats rest() {
      while (engine.stats().kvCache().freeBlocks() < BLOCKS) {
        step();
      }
      return engine.stats();
    }

    @Override
    public void close() {
      engine.close();
    }
  }

  private Run run() throws IOException {
    return new Run(folder, MUCH, KvLoadFailurePolicy.RECOMPUTE);
  }

  private List<Request> requests(long seed, int count) {
    return RandomLoad.requests(
        new Random(seed), count, 16, MAX_MODEL_LEN, model.config().vocabularySize());
  }

  private Map<String, int[]> without(List<Request> requests) {
    final Map<String, int[]> tokens = new LinkedHashMap<>();
    try (Engine engine =
        HeadwayEngine.builder(
                ReferenceExecutor.builder(model, new VirtualClock())
                    .blockSize(BLOCK_SIZE)
                    .numBlocks(BLOCKS + 1)
                    .build())
            .clock(new VirtualClock())
            .build()) {
      for (Request request : requests) {
        final RequestHandle handle = engine.submit(request);
        while (engine.step()) {}
        tokens.put(
            request.id(),
            ((Finished) handle.outcome().toCompletableFuture().join()).outputTokenIds());
      }
    }
    return tokens;
  }

  private static void assertTokens(
      String what, Map<String, int[]> expected, Map<String, int[]> tokens) {
    expected.forEach(
        (id, own) -> assertThat(tokens.get(id)).as("%s, id=%s", what, id).isEqualTo(own));
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(file -> file.toString().endsWith(".kv")).sorted().toList();
    }
  }

  @Test
  void shouldAnswerTheSameBehindWhatAnEarlierEngineHasComputed() throws IOException {
    final long seed = System.nanoTime();
    final List<Request> requests = requests(seed, 30);
    final Map<String, int[]> expected = without(requests);
    try (Run first = run()) {
      assertTokens("seed=" + seed + ", first", expected, first.tokens(requests));
      assertThat(first.rest().scheduler().failedLoads()).isZero();
    }

    try (Run second = run()) {
      assertTokens("seed=" + seed + ", restarted", expected, second.tokens(requests));

      final EngineStats stats = second.rest();
      assertThat(stats.scheduler().externalHitTokens()).as("seed=%d", seed).isPositive();
      assertThat(stats.scheduler().failedLoads()).isZero();
      assertThat(second.tier.stats().loaded()).as("seed=%d", seed).isPositive();
      assertThat(second.tier.stats().corrupt() + second.tier.stats().failedReads()).isZero();
    }
  }

  @Test
  void shouldComputeWhatIsCorrupt() throws IOException {
    final long seed = System.nanoTime();
    final Random random = new Random(seed);
    final List<Request> requests = requests(seed, 20);
    try (Run first = run()) {
      first.tokens(requests);
    }
    for (Path file : files()) {
      final byte[] bytes = Files.readAllBytes(file);
      switch (random.nextInt(4)) {
        case 0 -> Files.write(file, noise(bytes, random));
        case 1 -> Files.write(file, new byte[random.nextInt(bytes.length)]);
        default -> {}
      }
    }

    try (Run second = run()) {
      assertTokens("seed=" + seed, without(requests), second.tokens(requests));

      assertThat(second.rest().scheduler().failedLoads()).as("seed=%d", seed).isPositive();
      assertThat(second.tier.stats().corrupt()).as("seed=%d", seed).isPositive();
    }
  }

  /** The header as it was, and other KV. */
  private static byte[] noise(byte[] file, Random random) {
    for (int i = 16; i < file.length; i += Float.BYTES) {
      file[i] = (byte) random.nextInt();
      file[i + 2] = (byte) random.nextInt(); // of the mantissa: numbers that look sound
    }
    return file;
  }

  @Test
  void shouldEndARequestByNameWhoseFileIsLostWhereThePolicySaysSo() throws IOException {
    final Request request =
        Request.builder("r", new Random(1).ints(40, 0, 512).toArray()).maxTokens(4).build();
    try (Run first = run()) {
      first.tokens(List.of(request));
    }

    try (Run second = new Run(folder, MUCH, KvLoadFailurePolicy.FAIL)) {
      Files.delete(files().get(0)); // behind its back

      assertThat(second.finished(second.engine.submit(request)).reason())
          .isEqualTo(FinishReason.KV_LOAD_FAILED);
      second.rest();
      assertThat(second.tier.stats().failedReads()).isEqualTo(1);
    }
  }

  @Test
  void shouldKeepToItsBytesAtEveryMoment() throws IOException {
    final long seed = System.nanoTime();
    final List<Request> requests = requests(seed, 40);
    final long fileBytes;
    try (Run probe = run()) {
      probe.tokens(requests.subList(0, 5));
      fileBytes = 16 + probe.executor.kvBlockAccess().blockBytes();
    }
    final long bound = 12 * fileBytes;

    try (Run run = new Run(folder, bound, KvLoadFailurePolicy.RECOMPUTE)) {
      final List<RequestHandle> handles = new ArrayList<>();
      requests.forEach(request -> handles.add(run.engine.submit(request)));
      while (!handles.stream().allMatch(RequestHandle::isDone)) {
        run.step();
        assertThat(run.tier.stats().bytes()).as("seed=%d", seed).isLessThanOrEqualTo(bound);
        assertThat(files().size() * fileBytes).as("seed=%d", seed).isLessThanOrEqualTo(bound);
      }
      final Map<String, int[]> tokens = new LinkedHashMap<>();
      handles.forEach(handle -> tokens.put(handle.id(), run.finished(handle).outputTokenIds()));
      assertTokens("seed=" + seed, without(requests), tokens);
      run.rest();
      final DiskKvTierStats stats = run.tier.stats();
      assertThat(stats.evicted()).as("seed=%d, %s", seed, stats).isPositive();
    }
  }

  @Test
  void shouldRunOtherRequestsWhileTheDiskIsBusy() throws Exception {
    final Request slow =
        Request.builder("slow", new Random(1).ints(40, 0, 512).toArray()).maxTokens(4).build();
    final Request other =
        Request.builder("other", new Random(2).ints(40, 0, 512).toArray()).maxTokens(4).build();
    final Map<String, int[]> expected = without(List.of(slow, other));
    try (Run first = run()) {
      first.tokens(List.of(slow));
    }
    final CountDownLatch disk = new CountDownLatch(1);
    final FaultyFiles files =
        FaultyFiles.over(
            folder,
            (number, call, path) -> {
              if (call == FileCall.READ) {
                awaitQuietly(disk);
              }
              return null;
            });

    try (Run second = new Run(files.root(), MUCH, KvLoadFailurePolicy.RECOMPUTE)) {
      final RequestHandle waiting = second.engine.submit(slow);
      final RequestHandle running = second.engine.submit(other);

      assertThat(second.finished(running).outputTokenIds()).isEqualTo(expected.get("other"));
      assertThat(waiting.isDone()).isFalse();
      disk.countDown();

      assertThat(second.finished(waiting).outputTokenIds()).isEqualTo(expected.get("slow"));
      second.rest();
      assertThat(second.tier.stats().loaded()).isEqualTo(5);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
