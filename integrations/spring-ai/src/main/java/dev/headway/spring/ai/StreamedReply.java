package dev.headway.spring.ai;

import dev.headway.serving.reply.ReplyCall;
import dev.headway.serving.reply.ReplyEngine;
import dev.headway.serving.reply.ReplyParts;
import dev.headway.serving.reply.ReplyRun;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.springframework.ai.chat.model.ChatResponse;
import reactor.core.publisher.FluxSink;

/** Passes a reply on to a subscriber. The subscribing thread begins, one of its own goes on. */
final class StreamedReply implements ReplyParts {

  private static final ThreadFactory THREADS =
      Thread.ofVirtual().name("headway-spring-ai-", 0).factory();

  private final FluxSink<ChatResponse> sink;
  private final String model;

  StreamedReply(FluxSink<ChatResponse> sink, String model) {
    this.sink = sink;
    this.model = model;
  }

  void start(ReplyEngine engine, Supplier<ReplyCall> call) {
    final ReplyRun run;
    try {
      run = ReplyRun.begin(engine, call.get(), this);
    } catch (RuntimeException e) {
      sink.error(e);
      return;
    }
    THREADS.newThread(() -> pass(run)).start();
  }

  private void pass(ReplyRun run) {
    try {
      run.await().ifPresent(reply -> sink.next(Responses.end(reply, model)));
      sink.complete();
    } catch (RuntimeException | Error e) { // there is no caller to throw to
      sink.error(e);
    }
  }

  @Override
  public void begin(Runnable cancel) {
    sink.onCancel(cancel::run);
  }

  @Override
  public boolean isCancelled() {
    return sink.isCancelled();
  }

  @Override
  public void text(String text) {
    if (!text.isEmpty()) {
      sink.next(Responses.part(text));
    }
  }
}
