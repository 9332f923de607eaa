package dev.headway.cuda.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.EntryKind;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.CudaException;
import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.emulation.Emulator;
import dev.headway.cuda.emulation.EmulatorOnly;
import dev.headway.cuda.emulation.OnCudaDriver;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelFamily;
import dev.headway.executor.model.TestModels;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.testkit.FakePlan;
import dev.headway.testkit.FakeRequest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What goes wrong is told in words and leaves nothing on the device: the extension of these tests
 * counts what is alive.
 */
@OnCudaDriver
class FailuresTest {

  private static final int LAUNCH_FAILED = 719;
  private static final int OUT_OF_MEMORY = 2;
  private static final int MOST_BLOCKS = (1 << 29) - 1; // of 4 tokens: slots are ints
  private static final String AT_WILL = "a call of the driver must fail at will";

  private final Model model = Model.random(TestModels.tiny(ModelFamily.LLAMA), 5);

  @BeforeEach
  void workOnlyWhenSomebodyWaits() {
    Emulator.schedule(Emulator.ThreadOrder.FORWARD, Emulator.Streams.LAZY);
  }

  @Test
  void shouldFillTheMemoryThatIsAllowed() {
    final long room = Emulator.isActive() ? 96 << 20 : 512 << 20; // code and libraries of a driver
    blocksWithin(room); // what a driver loads once is there from now on
    final long less = blocksWithin(room);
    final long more = blocksWithin(room + (64 << 20));

    final long bytesPerBlock = 4 * 2 * 2 * 3 * 16;
    final long granularity = Emulator.isActive() ? bytesPerBlock : 8 << 20; // a driver's pages
    assertThat((more - less) * bytesPerBlock).isCloseTo(64 << 20, within(granularity));
    assertThat(less * bytesPerBlock).isBetween(16L << 20, room); // weights and workspace too
  }

  /** Blocks of the cache when this many bytes more may be in use than now. */
  private long blocksWithin(long bytes) {
    final double share;
    try (CudaDevice device = CudaDevice.open(0)) {
      final long total = device.info().totalBytes();
      share = (double) (total - device.freeBytes() + bytes) / total;
    }
    try (CudaExecutor executor = builder().memoryUtilization(share).build()) {
      return executor.shape().kvCache().numBlocks();
    }
  }

  @Test
  void shouldSayWhatDoesNotFitBesideWeightsAndWorkspace() {
    assertThatThrownBy(() -> builder().memoryUtilization(1e-9).build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching(
            "the KV cache must hold a request of maxModelLen tokens: neededBytes=25344,"
                + " availableBytes=\\d+, freeBytes=\\d+, totalBytes=\\d+,"
                + " memoryUtilization=1\\.0E-9, maxModelLen=128; lower maxModelLen or"
                + " maxNumBatchedTokens, or raise memoryUtilization");
  }

  /** More than any device has. */
  @Test
  void shouldSayWhichMemoryRanOut() {
    assertThatThrownBy(() -> builder().kvBlocks(MOST_BLOCKS).build())
        .isInstanceOf(CudaException.class)
        .hasMessageMatching(
            "cuMemAlloc_v2 failed: result=2 \\(CUDA_ERROR_OUT_OF_MEMORY.*\\), use=KV cache,"
                + " requestedBytes=%d, freeBytes=\\d+, totalBytes=\\d+; lower kvBlocks,"
                    .formatted(768L * MOST_BLOCKS)
                + " or free device memory");
  }

  @Test
  @EmulatorOnly("the device must have next to no memory")
  void shouldSayThatTheWorkspaceDoesNotFit() {
    new Emulator.Device().totalBytes(8 << 20).install();

    assertThatThrownBy(() -> builder().kvBlocks(99).maxNumBatchedTokens(60_000).build())
        .isInstanceOf(CudaException.class)
        .hasMessageContaining("; lower maxNumBatchedTokens, or free device memory");
  }

  @Test
  @EmulatorOnly("a system that is asked for more memory than it has may stop")
  void shouldSayThatTheHostHasNoMemoryLeft() {
    new Emulator.Device().totalBytes(8 << 20).install();

    assertThatThrownBy(() -> builder().kvBlocks(99).hostBlocks(1 << 20).build())
        .isInstanceOf(CudaException.class)
        .hasMessageMatching(
            "cuMemHostAlloc failed: result=2 \\(CUDA_ERROR_OUT_OF_MEMORY.*\\), use=KV blocks in"
                + " host memory, requestedBytes=805306368; lower hostBlocks, or free host memory");
  }

  @Test
  @EmulatorOnly(AT_WILL)
  void shouldFailAStepWhoseTransferIsRefused() throws InterruptedException {
    try (CudaExecutor executor = builder().kvBlocks(99).hostBlocks(2).build()) {
      Emulator.failNext("cuMemcpyDtoHAsync_v2", OUT_OF_MEMORY);
      executor.submit(((FakePlan) step()).saves(3, 1));

      assertThatThrownBy(() -> await(executor))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith("the device failed in step 1: cuMemcpyDtoHAsync_v2 failed");
      executor.submit(step());
      assertThat(await(executor).tokenCount(0)).isOne();
    }
  }

  @Test
  void shouldRefuseTransfersWithoutHostBlocks() {
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      assertThatThrownBy(() -> executor.submit(((FakePlan) step()).saves(3, 1)))
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessage(
              "this executor has no KV blocks in host memory: saves=1, loads=0; give it"
                  + " hostBlocks");
    }
  }

  @Test
  @EmulatorOnly(AT_WILL)
  void shouldGiveBackWhatItHadWhenLoadingFails() {
    Emulator.failNext("cuEventCreate", OUT_OF_MEMORY);

    assertThatThrownBy(() -> builder().kvBlocks(99).build()).isInstanceOf(CudaException.class);
  }

  @Test
  @EmulatorOnly("the device must be gone; DeviceMessagesTest hides a real one")
  void shouldSayWhyThereIsNoDevice() {
    new Emulator.Device().count(0).install();

    assertThatThrownBy(() -> builder().build()).isInstanceOf(CudaUnavailableException.class);
  }

  @Test
  @EmulatorOnly(AT_WILL)
  void shouldFailOneStepWhenALaunchIsRefused() throws InterruptedException {
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      Emulator.failNext("cuLaunchKernel", OUT_OF_MEMORY);
      executor.submit(step());

      assertThatThrownBy(() -> await(executor))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(
              "the device failed in step 1: cuLaunchKernel failed: result=2"
                  + " (CUDA_ERROR_OUT_OF_MEMORY")
          .hasCauseInstanceOf(CudaException.class);
      assertThat(executor.isLost()).isFalse();
      executor.submit(step());
      assertThat(await(executor).tokenCount(0)).isOne();
    }
  }

  /** What the device has of block tables is not what the scheduler counts as received. */
  @EmulatorOnly(AT_WILL)
  @ParameterizedTest
  @ValueSource(strings = {"cuMemcpyHtoDAsync_v2", "cuGraphLaunch"})
  void shouldRunNoStepOnBlockTablesThatWereNotSent(String call) throws InterruptedException {
    final FakeRequest request = new FakeRequest(3, greedy("r", 5, 6, 7, 8, 9, 10));
    final Table table = new Table(3, 7);
    try (CudaExecutor executor = builder().kvBlocks(99).stepsInFlight(2).build()) {
      executor.submit(plan(request, new Table(3, 6), EntryKind.NEW, 0, 6, 0));
      final int expected = await(executor).token(0, 0);
      executor.submit(plan(request, new Table(3), EntryKind.NEW, 0, 4, 0));
      await(executor);
      Emulator.failNext(call, OUT_OF_MEMORY);
      executor.submit(plan(request, table, EntryKind.RUNNING, 4, 1, 1));
      executor.submit(plan(request, table, EntryKind.RUNNING, 5, 1, 2));

      assertThatThrownBy(() -> await(executor))
          .hasMessageStartingWith("the device failed in step 1: " + call + " failed");
      assertThatThrownBy(() -> await(executor))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageMatching(
              "the device failed in step 1: its block tables build on changes of a step before,"
                  + " which failed: neededState=3, state=2; the next step sends whole tables");
      for (int position = 4; position < 6; position++) {
        executor.submit(plan(request, table, EntryKind.RUNNING, position, 1, 2));
      }
      await(executor);
      assertThat(await(executor).token(0, 0)).isEqualTo(expected);
    }
  }

  /** The scheduler counts the blocks of a plan that was refused as received. */
  @Test
  void shouldSendWholeTablesAfterAPlanThatItRefused() throws InterruptedException {
    final FakeRequest request = new FakeRequest(3, greedy("r", 1, 2, 3));
    final FakeRequest other = new FakeRequest(4, greedy("other", 9, 8, 7));
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      executor.submit(plan(request, new Table(3), EntryKind.NEW, 0, 3, 0));
      final int expected = await(executor).token(0, 0);
      final FakePlan refused = plan(request, new Table(5), EntryKind.RESUMED, 0, 3, 0).drafts(2);
      assertThatThrownBy(() -> executor.submit(refused))
          .isInstanceOf(UnsupportedOperationException.class);

      executor.submit(
          plan(request, new Table(5), EntryKind.RUNNING, 0, 3, 1)
              .entry(other.running(0), EntryKind.NEW, 3, 3));

      assertThat(await(executor, 2).token(0, 0)).isEqualTo(expected);
    }
  }

  @Test
  @EmulatorOnly("a call must fail at will; LostContextTest loses a real context")
  void shouldBeDeadWhenTheContextIsLost() {
    try (CudaExecutor executor = builder().kvBlocks(99).stepsInFlight(2).build()) {
      executor.submit(step());
      Emulator.failNext("cuLaunchKernel", LAUNCH_FAILED);
      executor.submit(step());

      assertThatThrownBy(() -> await(executor)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> await(executor))
          .hasMessageStartingWith("the device failed in step 1: ")
          .isInstanceOf(ExecutorLostException.class)
          .hasMessageEndingWith("; CUDA is lost to this process: restart it");
      assertThat(executor.isLost()).isTrue();
      assertThatThrownBy(() -> executor.submit(step()))
          .isInstanceOf(ExecutorLostException.class)
          .hasMessageStartingWith("the executor is dead since CUDA was lost to this process: ")
          .hasMessageEndingWith("; restart the process")
          .hasCauseInstanceOf(CudaException.class);
    }
  }

  /** The largest size is recorded first: it is the one that fails here. */
  @ParameterizedTest
  @ValueSource(strings = {"cuGraphInstantiateWithFlags", "cuGraphUpload"})
  @EmulatorOnly(AT_WILL)
  void shouldLaunchWhatCannotBeRecordedAndSaySo(String call) throws InterruptedException {
    Emulator.failNext(call, OUT_OF_MEMORY);
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      assertThat(executor.attributes().get("graphs"))
          .startsWith(
              "2 of 3 batch sizes up to 4 recorded, the others are launched: batch size 4: "
                  + call
                  + " failed: result=2 (CUDA_ERROR_OUT_OF_MEMORY");
      executor.submit(step());
      await(executor);
      for (int requests : new int[] {4, 3, 1}) {
        final int replays = Emulator.calls("cuGraphLaunch");
        executor.submit(decode(requests));

        assertThat(await(executor, requests).tokenCount(0)).isOne();
        assertThat(Emulator.calls("cuGraphLaunch") - replays)
            .as("%d requests", requests)
            .isEqualTo(requests == 1 ? 1 : 0);
      }
    }
  }

  @Test
  void shouldSayThatNothingIsRecorded() {
    try (CudaExecutor executor = builder().kvBlocks(99).graphs(CudaGraphs.DISABLED).build()) {
      assertThat(executor.attributes()).containsEntry("graphs", "off");
    }
  }

  @Test
  void shouldCloseWithStepsInFlight() {
    final CudaExecutor executor = builder().kvBlocks(99).stepsInFlight(2).build();
    executor.submit(step());
    executor.submit(step());

    executor.close();
    executor.close(); // does nothing
  }

  @Test
  void shouldKeepAStepOutWhenTheTimePasses() throws InterruptedException {
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      final StepOutput output = new StepOutput();
      output.begin(7, 1);
      executor.submit(step());

      boolean answered = executor.await(output, 1);
      while (!answered) {
        answered = executor.await(output, TimeUnit.SECONDS.toNanos(60));
      }

      assertThat(output.tokenCount(0)).isOne();
    }
  }

  @Test
  void shouldStopWaitingWhenInterrupted() throws InterruptedException {
    try (CudaExecutor executor = builder().kvBlocks(99).build()) {
      executor.submit(step());
      Thread.currentThread().interrupt();

      final StepOutput output = new StepOutput();
      output.begin(7, 1);
      try {
        assertThat(executor.await(output, Long.MAX_VALUE)).isTrue();
        assertThat(Thread.interrupted()).isTrue(); // a device may be done by now
        assertThat(Emulator.isActive()).isFalse();
      } catch (InterruptedException expected) {
        assertThat(await(executor).tokenCount(0)).isOne(); // it is still out
      }
    }
  }

  @Test
  void shouldRefuseOptionsThatContradictEachOther() {
    assertRefused(
        builder().maxNumBatchedTokens(3),
        "maxNumBatchedTokens must be >= maxNumSeqs so that every request can decode:"
            + " maxNumBatchedTokens=3, maxNumSeqs=4");
    assertRefused(
        builder().maxModelLen(257),
        "maxModelLen must be <= the model's max_position_embeddings: maxModelLen=257,"
            + " max_position_embeddings=256");
    assertRefused(builder().stepsInFlight(3), "stepsInFlight must be in [1, 2]: stepsInFlight=3");
    assertRefused(
        builder().memoryUtilization(1.5),
        "memoryUtilization must be in (0, 1]: memoryUtilization=1.5");
    assertRefused(builder().hostBlocks(-1), "hostBlocks must be in [0, 2147483647]: hostBlocks=-1");
    assertRefused(
        builder().kvBlocks(1), "kvBlocks must be >= 2, the null block and one to use: kvBlocks=1");
    assertRefused(
        builder().kvBlocks(1 << 29),
        "kvBlocks * blockSize must be < 2^31, since slots are numbered: kvBlocks=536870912,"
            + " blockSize=4");
    assertRefused(builder().maxNumSeqs(0), "maxNumSeqs must be in [1, 65535]: maxNumSeqs=0");
  }

  private static void assertRefused(CudaExecutorBuilder builder, String message) {
    assertThatThrownBy(builder::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  private CudaExecutorBuilder builder() {
    return CudaExecutor.builder(model, new SystemNanoClock())
        .blockSize(4)
        .maxNumSeqs(4)
        .maxNumBatchedTokens(16)
        .maxModelLen(128);
  }

  private static StepPlan step() {
    final Request request =
        Request.builder("r", 1, 2, 3).maxTokens(4).sampling(SamplingParams.GREEDY).build();
    return new FakePlan().entry(request, 0, 3, 1);
  }

  /** A step that can be recorded: one token each of requests whose prompt is computed. */
  private static StepPlan decode(int requests) {
    final FakePlan plan = new FakePlan();
    for (int i = 0; i < requests; i++) {
      final Request request =
          Request.builder("d" + i, 1, 2, 3, 4).maxTokens(4).sampling(SamplingParams.GREEDY).build();
      plan.entry(request, 3, 1, 1);
    }
    return plan;
  }

  private static Request greedy(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(4).sampling(SamplingParams.GREEDY).build();
  }

  private static FakePlan plan(
      FakeRequest request, Table table, EntryKind kind, int computed, int scheduled, int newFrom) {
    final FakePlan plan = new FakePlan();
    plan.add(request.running(computed), table, kind, scheduled, newFrom, 0);
    return plan;
  }

  private static StepOutput await(CudaExecutor executor) throws InterruptedException {
    return await(executor, 1);
  }

  private static StepOutput await(CudaExecutor executor, int requests) throws InterruptedException {
    final StepOutput output = new StepOutput();
    output.begin(7, requests);
    assertThat(executor.await(output, TimeUnit.SECONDS.toNanos(60))).isTrue();
    return output;
  }
}
