package dev.headway.langchain4j;

import dev.headway.serving.reply.Reply;
import dev.headway.serving.reply.ReplyRun;
import dev.langchain4j.exception.UnsupportedFeatureException;
import dev.langchain4j.internal.InternalStreamingChatResponseHandlerUtils;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Answers that are streamed, each on a virtual thread of its own. Stateless. */
final class Streams {

  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("headway-langchain4j-", 0).factory();

  private Streams() {}

  /**
   * Begins an answer on the calling thread, and passes it on by another.
   *
   * @param onAnswer gets the whole of it, unless its reader has cancelled it
   * @param onError gets what ends it before
   * @throws UnsupportedFeatureException if it asks for what cannot be honoured
   */
  static void start(
      Supplier<ReplyRun> begin, Consumer<Reply> onAnswer, Consumer<Throwable> onError) {
    final ReplyRun run;
    try {
      run = Replies.of(begin);
    } catch (UnsupportedFeatureException e) {
      throw e;
    } catch (RuntimeException e) {
      run(() -> fail(e, onError));
      return;
    }
    run(
        () -> {
          try {
            Replies.of(run::await).ifPresent(onAnswer);
          } catch (RuntimeException | Error e) { // there is no caller to throw to
            fail(e, onError);
          }
        });
  }

  private static void run(Runnable task) {
    THREADS.newThread(task).start();
  }

  private static void fail(Throwable error, Consumer<Throwable> onError) {
    InternalStreamingChatResponseHandlerUtils.withLoggingExceptions(() -> onError.accept(error));
  }
}
