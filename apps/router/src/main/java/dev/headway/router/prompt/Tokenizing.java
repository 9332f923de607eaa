package dev.headway.router.prompt;

import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Turns prompts into tokens on threads beside the event loops: a long prompt takes milliseconds,
 * for which a loop would hold up all of its streams. What is beyond the queue, or fails, goes
 * without tokens and is counted. Any thread; never blocks.
 */
public final class Tokenizing implements AutoCloseable {

  private static final int QUEUE = 1_024;

  private final PromptTokenizer tokenizer;
  private final Runnable whenWithout;
  private final ThreadPoolExecutor threads;

  /**
   * Starts the threads.
   *
   * @param count of threads, >= 1
   * @param whenWithout called for each prompt that stays without tokens; any thread
   */
  public Tokenizing(PromptTokenizer tokenizer, int count, Runnable whenWithout) {
    this.tokenizer = tokenizer;
    this.whenWithout = whenWithout;
    threads =
        new ThreadPoolExecutor(
            count,
            count,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE),
            Thread.ofPlatform().name("headway-route-tokens-", 0).daemon().factory());
  }

  /**
   * Calls back with the tokens, or null, on any thread, perhaps before this returns.
   *
   * @param text a prompt, or what a conversation is without a template
   * @param messages the conversation; null if it is a prompt
   */
  public void tokens(
      String text,
      @Nullable List<PromptTokenizer.Message> messages,
      Consumer<int @Nullable []> callback) {
    try {
      threads.execute(() -> callback.accept(encode(text, messages)));
    } catch (RejectedExecutionException e) {
      whenWithout.run();
      callback.accept(null);
    }
  }

  @SuppressWarnings("IllegalCatch") // a template of a model's author may throw anything
  private int @Nullable [] encode(String text, @Nullable List<PromptTokenizer.Message> messages) {
    try {
      return messages == null ? tokenizer.completion(text) : tokenizer.chat(messages);
    } catch (RuntimeException e) {
      whenWithout.run();
      return null;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
