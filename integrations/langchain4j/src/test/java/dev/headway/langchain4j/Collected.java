package dev.headway.langchain4j;

import dev.langchain4j.model.chat.StreamingChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.CompleteToolCall;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.PartialToolCall;
import dev.langchain4j.model.chat.response.PartialToolCallContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.langchain4j.model.chat.response.StreamingHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** What a handler was called with. */
class Collected implements StreamingChatResponseHandler {

  final List<String> texts = new CopyOnWriteArrayList<>();
  final List<PartialToolCall> partialCalls = new CopyOnWriteArrayList<>();
  final List<CompleteToolCall> completeCalls = new CopyOnWriteArrayList<>();
  final CompletableFuture<ChatResponse> response = new CompletableFuture<>();

  static Collected of(StreamingChatModel model, ChatRequest request) {
    final Collected collected = new Collected();
    model.chat(request, collected);
    return collected;
  }

  /** Waits for the end. */
  ChatResponse response() throws Exception {
    return response.get(30, TimeUnit.SECONDS);
  }

  /** Called with each text. */
  void onText(StreamingHandle handle) {}

  @Override
  public void onPartialResponse(PartialResponse partial, PartialResponseContext context) {
    texts.add(partial.text());
    onText(context.streamingHandle());
  }

  @Override
  public void onPartialToolCall(PartialToolCall partial, PartialToolCallContext context) {
    partialCalls.add(partial);
  }

  @Override
  public void onCompleteToolCall(CompleteToolCall complete) {
    completeCalls.add(complete);
  }

  @Override
  public void onCompleteResponse(ChatResponse complete) {
    response.complete(complete);
  }

  @Override
  public void onError(Throwable error) {
    response.completeExceptionally(error);
  }
}
