package dev.headway.langchain4j;

import dev.headway.serving.reply.ReplyParts;
import dev.headway.serving.tool.CallText;
import dev.langchain4j.internal.InternalStreamingChatResponseHandlerUtils;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import org.jspecify.annotations.Nullable;

/**
 * Calls a handler of LangChain4j, and its {@code onError} with what it throws. One thread; the
 * handle is for any.
 */
final class HandlerParts implements ReplyParts {

  private final StreamingChatResponseHandler handler;
  private final Handle handle = new Handle();
  private CallText.@Nullable Call open;
  private int openIndex;

  HandlerParts(StreamingChatResponseHandler handler) {
    this.handler = handler;
  }

  /** Cancels the request, once there is one. */
  private static final class Handle implements StreamingHandle {
    private volatile boolean cancelled;
    private volatile Runnable cancel = () -> {};

    @Override
    public void cancel() {
      cancelled = true;
      cancel.run();
    }

    @Override
    public boolean isCancelled() {
      return cancelled;
    }
  }

  @Override
  public void begin(Runnable cancel) {
    handle.cancel = cancel;
  }

  @Override
  public boolean isCancelled() {
    return handle.isCancelled();
  }

  @Override
  public void text(String text) {
    if (!isCancelled()) {
      InternalStreamingChatResponseHandlerUtils.onPartialResponse(handler, text, handle);
    }
  }

  @Override
  public void call(int index, CallText.Call call, String arguments) {
    if (open != null && index > openIndex) {
      complete(open); // a call has ended where the next begins
    }
    open = call;
    openIndex = index;
    if (!arguments.isEmpty() && !isCancelled()) {
      InternalStreamingChatResponseHandlerUtils.onPartialToolCall(
          handler,
          PartialToolCall.builder()
              .index(index)
              .id(call.id())
              .name(call.name())
              .partialArguments(arguments)
              .build(),
          handle);
    }
  }

  @Override
  public void end(int completeCalls) {
    if (open != null && openIndex < completeCalls) {
      complete(open);
    }
  }

  private void complete(CallText.Call call) {
    if (!isCancelled()) {
      InternalStreamingChatResponseHandlerUtils.onCompleteToolCall(
          handler, new CompleteToolCall(openIndex, ModelAnswer.request(call)));
    }
  }

  /** The whole answer follows its parts, unless the last of them was cancelled. */
  void complete(ChatResponse response) {
    if (!isCancelled()) {
      InternalStreamingChatResponseHandlerUtils.onCompleteResponse(handler, response);
    }
  }
}
