package dev.headway.examples.prefilldecode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.config.KvLoadFailurePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.executor.Executor;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.TestModels;
import dev.headway.executor.reference.ReferenceExecutor;
import dev.headway.scheduler.engine.HeadwayEngine;
import dev.headway.scheduler.time.SystemNanoClock;
import dev.headway.scheduler.time.VirtualClock;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines give the tokens of one, whatever becomes of the connections between them. */
@Timeout(120)
class PrefillDecodeTest {

  private static final int BLOCK_SIZE = 8;

  /** Room for all prompts of a test, kept until a lease ends. */
  private static final int PREFILL_BLOCKS = 400;

  /** Few enough that requests wait for each other's, and are preempted. */
  private static final int DECODE_BLOCKS = 24;

  private static final int LONGEST_PROMPT = 60;
  private static final Duration LEASE = Duration.ofSeconds(30);

  private record Prompt(String id, int[] tokens, int maxTokens, SamplingParams sampling) {}

  private final NanoClock clock = new SystemNanoClock();
  private final VirtualClock leases = new VirtualClock();
  private final Model model = Model.load(TestModels.stories260K());
  private PrefillConnector sends;
  private Engine prefill;
  private Engine decode;

  @BeforeEach
  void startPrefill() throws IOException {
    final Executor executor = executor(PREFILL_BLOCKS);
    sends = new PrefillConnector(executor.kvBlockAccess(), BLOCK_SIZE, LEASE, leases);
    prefill = engine(executor, sends, KvLoadFailurePolicy.RECOMPUTE);
  }

  private void startDecode(KvLoadFailurePolicy policy) {
    final Executor executor = executor(DECODE_BLOCKS);
    decode = engine(executor, new DecodeConnector(executor.kvBlockAccess(), BLOCK_SIZE), policy);
  }

  @AfterEach
  void close() {
    prefill.close();
    if (decode != null) {
      decode.close();
    }
    model.close();
  }

  private Executor executor(int blocks) {
    return ReferenceExecutor.builder(model, clock)
        .blockSize(BLOCK_SIZE)
        .numBlocks(blocks + 1)
        .build();
  }

  private Engine engine(Executor executor, KvConnector connector, KvLoadFailurePolicy policy) {
    final SchedulerLimits limits =
        SchedulerLimits.builder().maxNumSeqs(6).maxNumBatchedTokens(48).maxModelLen(128).build();
    final Engine built =
        HeadwayEngine.builder(executor)
            .clock(clock)
            .config(SchedulerConfig.builder(limits).kvLoadFailurePolicy(policy).build())
            .kvConnector(connector)
            .build();
    built.start(Thread.ofPlatform().daemon().factory());
    return built;
  }

  private List<Prompt> prompts(long seed, int count) {
    final Random random = new Random(seed);
    final List<Prompt> prompts = new ArrayList<>();
    final int[] shared = random.ints(LONGEST_PROMPT, 3, 512).toArray();
    for (int i = 0; i < count; i++) {
      final int[] tokens = random.ints(1 + random.nextInt(LONGEST_PROMPT), 3, 512).toArray();
      System.arraycopy(shared, 0, tokens, 0, random.nextInt(tokens.length + 1));
      final SamplingParams sampling =
          random.nextBoolean()
              ? SamplingParams.GREEDY
              : SamplingParams.builder().temperature(0.9f).seed(random.nextLong()).build();
      prompts.add(new Prompt("r" + i, tokens, 1 + random.nextInt(24), sampling));
    }
    return prompts;
  }

  /** What one engine answers, one request after the other. */
  private Map<String, int[]> alone(List<Prompt> prompts) {
    final Map<String, int[]> tokens = new LinkedHashMap<>();
    try (Engine engine =
        HeadwayEngine.builder(executor(DECODE_BLOCKS)).clock(new VirtualClock()).build()) {
      for (Prompt prompt : prompts) {
        final RequestHandle handle =
            engine.submit(
                Request.builder(prompt.id, prompt.tokens)
                    .maxTokens(prompt.maxTokens)
                    .sampling(prompt.sampling)
                    .build());
        while (engine.step()) {}
        tokens.put(
            prompt.id, finished(handle.outcome().toCompletableFuture().join()).outputTokenIds());
      }
    }
    return tokens;
  }

  /** What two engines make of the prompts, all at once. */
  private Map<String, Finished> apart(List<Prompt> prompts, InetSocketAddress blocks)
      throws Exception {
    final PrefillDecodeRouter router = new PrefillDecodeRouter(prefill, decode, blocks);
    final Map<String, Future<RequestOutcome>> answers = new LinkedHashMap<>();
    try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Prompt prompt : prompts) {
        answers.put(
            prompt.id,
            clients.submit(
                () ->
                    router.generate(prompt.id, prompt.tokens, prompt.maxTokens, prompt.sampling)));
      }
    }
    final Map<String, Finished> outcomes = new LinkedHashMap<>();
    for (Map.Entry<String, Future<RequestOutcome>> answer : answers.entrySet()) {
      outcomes.put(answer.getKey(), finished(answer.getValue().get()));
    }
    return outcomes;
  }

  private static Finished finished(RequestOutcome outcome) {
    assertThat(outcome).isInstanceOf(Finished.class);
    return (Finished) outcome;
  }

  private static void assertTokens(
      String what, Map<String, int[]> expected, Map<String, Finished> outcomes) {
    outcomes.forEach(
        (id, outcome) ->
            assertThat(outcome.outputTokenIds())
                .as("%s, id=%s, %s", what, id, outcome)
                .isEqualTo(expected.get(id)));
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("waited too long").isFalse();
      Thread.yield();
    }
  }

  private static void awaitAllFree(Engine engine) {
    await(() -> engine.stats().kvCache().freeBlocks() == engine.stats().kvCache().usableBlocks());
  }

  private void endLeases() {
    leases.advance(LEASE.toNanos());
    sends.endLeases();
  }

  @Test
  void shouldAnswerWhatOneEngineAnswers() throws Exception {
    final long seed = System.nanoTime();
    final List<Prompt> prompts = prompts(seed, 40);
    startDecode(KvLoadFailurePolicy.FAIL);

    final Map<String, Finished> outcomes = apart(prompts, sends.address());

    assertTokens("seed=" + seed, alone(prompts), outcomes);
    assertThat(decode.stats().scheduler().externalHitTokens()).as("seed=%d", seed).isPositive();
    awaitAllFree(prefill); // no lease has ended: each reader took what it wanted
    awaitAllFree(decode);
  }

  @Test
  void shouldAnswerTheSameWhenTransfersAreCut() throws Exception {
    final long seed = System.nanoTime();
    final List<Prompt> prompts = prompts(seed, 40);
    final Random random = new Random(seed);
    startDecode(KvLoadFailurePolicy.RECOMPUTE);

    final Map<String, Finished> outcomes;
    try (CuttingProxy proxy =
        new CuttingProxy(sends.address(), () -> random.nextInt(20_000), CuttingProxy.End.CUT)) {
      outcomes = apart(prompts, proxy.address());
    }

    assertTokens("seed=" + seed, alone(prompts), outcomes);
    assertThat(decode.stats().scheduler().failedLoads()).as("seed=%d", seed).isPositive();
    endLeases();
    awaitAllFree(prefill);
    awaitAllFree(decode);
  }

  @Test
  void shouldEndARequestByNameWhoseTransferIsCutWhereThePolicySaysSo() throws Exception {
    final long seed = System.nanoTime();
    final int[] tokens = new Random(seed).ints(LONGEST_PROMPT, 3, 512).toArray();
    startDecode(KvLoadFailurePolicy.FAIL);

    final Finished outcome;
    try (CuttingProxy proxy =
        new CuttingProxy(sends.address(), () -> 2_000, CuttingProxy.End.CUT)) {
      outcome =
          apart(List.of(new Prompt("cut", tokens, 8, SamplingParams.GREEDY)), proxy.address())
              .get("cut");
    }

    assertThat(outcome.reason()).as("seed=%d", seed).isEqualTo(FinishReason.KV_LOAD_FAILED);
    assertThat(outcome.outputTokenIds()).isEmpty();
    endLeases();
    awaitAllFree(prefill);
    awaitAllFree(decode);
  }

  @Test
  void shouldFreeWhatIsNeverFetchedWhenItsLeaseEnds() throws Exception {
    keep("a");

    leases.advance(LEASE.toNanos() - 1);
    sends.endLeases();
    assertThat(offeredBlocks("a")).isEqualTo(3);
    leases.advance(1);
    sends.endLeases();

    awaitAllFree(prefill);
    assertThat(offeredBlocks("a")).isEqualTo(BlockServer.NOT_OFFERED);
  }

  /** Computes a prompt of three blocks at the prefill engine. */
  private void keep(String id) throws InterruptedException {
    prefill
        .submit(
            Request.builder(id, new Random(1).ints(3 * BLOCK_SIZE, 3, 512).toArray())
                .maxTokens(1)
                .kvTransferParams(TransferParams.keep())
                .build())
        .await();
    await(() -> prefill.stats().kvCache().freeBlocks() == PREFILL_BLOCKS - 3);
  }

  /** Asks for blocks, and goes when it is known how many there are. */
  private int offeredBlocks(String id) throws IOException {
    try (Socket socket = new Socket(sends.address().getAddress(), sends.address().getPort())) {
      return ask(socket, id).readInt();
    }
  }

  private static DataInputStream ask(Socket socket, String id) throws IOException {
    final DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    out.writeUTF(id);
    out.writeInt(0);
    return new DataInputStream(socket.getInputStream());
  }

  @Test
  void shouldCutAReaderOffWhoseLeaseEnds() throws Exception {
    keep("a");
    try (Socket slow = new Socket(sends.address().getAddress(), sends.address().getPort())) {
      final DataInputStream in = ask(slow, "a");
      assertThat(in.readInt()).isEqualTo(3); // it is being served

      endLeases();

      in.readAllBytes(); // ends, since the other side has closed
    }
    awaitAllFree(prefill);
  }

  @Test
  void shouldOfferToAnotherReaderWhatTheFirstHasNotTaken() throws Exception {
    keep("a");
    assertThat(offeredBlocks("a")).isEqualTo(3);

    int offered = offeredBlocks("a");
    while (offered == BlockServer.NOT_OFFERED) { // until it is seen that the first is gone
      offered = offeredBlocks("a");
    }

    assertThat(offered).isEqualTo(3);
  }

  @Test
  @Timeout(20) // less than the fetch waits for a silent server
  void shouldGiveBlocksBackWhenARequestIsCancelledWhileItLoads() throws Exception {
    startDecode(KvLoadFailurePolicy.RECOMPUTE);
    keep("a");
    try (CuttingProxy proxy = new CuttingProxy(sends.address(), () -> 50, CuttingProxy.End.HANG)) {
      final RequestHandle handle =
          decode.submit(
              Request.builder("a", new Random(1).ints(3 * BLOCK_SIZE, 3, 512).toArray())
                  .maxTokens(4)
                  .kvTransferParams(TransferParams.fetch(proxy.address(), "a"))
                  .build());
      await(() -> decode.stats().kvCache().freeBlocks() < DECODE_BLOCKS);

      handle.cancel();

      assertThat(finished(handle.await()).reason()).isEqualTo(FinishReason.ABORTED);
      awaitAllFree(decode);
    }
  }

  @Test
  void shouldReleaseWhatTheDecodeEngineHasCached() throws Exception {
    final Prompt prompt =
        new Prompt("a", new Random(2).ints(17, 3, 512).toArray(), 4, SamplingParams.GREEDY);
    startDecode(KvLoadFailurePolicy.FAIL);

    final Finished first = apart(List.of(prompt), sends.address()).get("a");
    awaitAllFree(prefill);
    final long fetched = decode.stats().scheduler().externalHitTokens();
    final Finished second = apart(List.of(prompt), sends.address()).get("a");

    assertThat(fetched).isEqualTo(16);
    assertThat(decode.stats().scheduler().externalHitTokens()).isEqualTo(fetched);
    assertThat(second.outputTokenIds()).isEqualTo(first.outputTokenIds());
    awaitAllFree(prefill);
  }

  @Test
  void shouldRunAsAProgram() throws Exception {
    assertThat(finished(PrefillDecode.run(model, new int[] {1, 403, 407}, 5)).outputTokens())
        .isEqualTo(5);
  }
}
