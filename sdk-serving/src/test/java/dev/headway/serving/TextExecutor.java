package dev.headway.serving;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.request.Request;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.step.TokenLogprobs;
import dev.headway.serving.tokenizer.ByteTokenizer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Answers every request with a text, byte by byte, and then with the end of a sequence. Closed by
 * {@link #hold}, it runs as many steps as it is let.
 */
public final class TextExecutor implements Executor {

  private static final int FREE = Integer.MAX_VALUE / 4; // three times in one semaphore

  private final Function<Request, byte[]> texts;
  private final ExecutorShape shape;
  private final Semaphore steps = new Semaphore(FREE);
  private volatile RuntimeException failure;
  private StepPlan out;

  /** Answers all alike, with so many KV blocks. */
  public TextExecutor(String text, int numBlocks) {
    this(always(text.getBytes(StandardCharsets.UTF_8)), numBlocks, 64);
  }

  private static Function<Request, byte[]> always(byte[] text) {
    return request -> text;
  }

  /** Answers each by what it asks; {@code script} gets it and the text of its prompt. */
  public static TextExecutor scripted(
      BiFunction<Request, String, String> script, int numBlocks, int maxNumSeqs) {
    final Map<String, byte[]> answers = new ConcurrentHashMap<>(); // by request
    return new TextExecutor(
        request ->
            answers.computeIfAbsent(
                request.id(),
                id -> script.apply(request, prompt(request)).getBytes(StandardCharsets.UTF_8)),
        numBlocks,
        maxNumSeqs);
  }

  private static String prompt(Request request) {
    final byte[] bytes = new byte[request.promptTokens()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) request.promptTokenId(i);
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private TextExecutor(Function<Request, byte[]> texts, int numBlocks, int maxNumSeqs) {
    this.texts = texts;
    this.shape =
        ExecutorShape.builder()
            .kvCache(KvCacheShape.builder().blockSize(16).blocks(numBlocks).build())
            .maxNumSeqs(maxNumSeqs)
            .vocabularySize(ByteTokenizer.VOCABULARY_SIZE)
            .build();
  }

  /** Runs no step from now on. */
  public TextExecutor hold() {
    steps.drainPermits();
    return this;
  }

  /** Runs so many more. */
  public void let(int count) {
    steps.release(count);
  }

  /** Runs all from now on. */
  public void letAll() {
    steps.release(FREE);
  }

  /** Fails every step from now on. */
  public void fail(RuntimeException cause) {
    failure = cause;
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public void submit(StepPlan plan) {
    out = plan;
  }

  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    if (!steps.tryAcquire(timeoutNs, TimeUnit.NANOSECONDS)) {
      return false;
    }
    if (failure != null) {
      throw failure;
    }
    for (int entry = 0; entry < out.size(); entry++) {
      if (out.samples(entry)) {
        answer(entry, output);
      }
    }
    return true;
  }

  private void answer(int entry, StepOutput output) {
    final byte[] text = texts.apply(out.request(entry).request());
    final int position = out.request(entry).outputTokens();
    final int token = position < text.length ? text[position] & 0xff : ByteTokenizer.EOS;
    final OptionalInt asked = out.request(entry).request().sampling().logprobs();
    if (asked.isEmpty()) {
      output.addToken(entry, token);
    } else {
      final int[] ids = new int[asked.getAsInt()];
      final float[] logprobs = new float[asked.getAsInt()];
      for (int i = 0; i < asked.getAsInt(); i++) {
        ids[i] = 'a' + i;
        logprobs[i] = -i - 1;
      }
      output.addToken(entry, token, new TokenLogprobs(-0.25f * (position + 1), 2, ids, logprobs));
    }
  }

  @Override
  public void close() {
    letAll();
  }
}
