package dev.headway.router.proxy;

import dev.headway.http.server.ReceivedRequest;
import dev.headway.router.record.RequestTrace;
import dev.headway.router.record.RoutedRequest;
import dev.headway.routing.policy.RoutingRequest;
import dev.headway.routing.timing.HostClock;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A client's request as policies see it and as workers get it. One event loop. */
final class ForwardedRequest {

  private final ReceivedRequest received;
  private final FullHttpRequest request;
  private final String id;
  private final Prompt prompt;
  private final long receivedNs = HostClock.nanoTime();
  private final RequestTrace trace;
  private final @Nullable String workerKey;
  private boolean isBodyGivenUp;

  /** Takes a request, which {@link #giveUpBody} releases. */
  ForwardedRequest(ReceivedRequest received, Prompt prompt, Shared shared) {
    this.received = received;
    this.request = received.http();
    this.prompt = prompt;
    this.workerKey = shared.options().workerKey();
    final HttpHeaders headers = request.headers();
    this.id = HeaderRules.requestId(headers);
    HeaderRules.removeHopByHop(headers);
    headers.remove(HttpHeaderNames.EXPECT);
    this.trace = shared.tracer().begin(headers.get(HeaderRules.TRACE_PARENT));
    if (!headers.contains(HeaderRules.TRACE_PARENT)) {
      headers.set(HeaderRules.TRACE_PARENT, HeaderRules.newTraceParent());
    }
  }

  String id() {
    return id;
  }

  Prompt prompt() {
    return prompt;
  }

  long receivedNs() {
    return receivedNs;
  }

  RequestTrace trace() {
    return trace;
  }

  /** What is recorded of it at its end. */
  RoutedRequest ended(long endedNs, int status, @Nullable String failure) {
    final int query = request.uri().indexOf('?');
    return new RoutedRequest(
        id,
        request.method().name(),
        query < 0 ? request.uri() : request.uri().substring(0, query),
        prompt.model,
        prompt.maxTokens,
        receivedNs,
        endedNs,
        status,
        failure);
  }

  /** What a policy chooses by. */
  RoutingRequest routing(int attempt, Set<String> excluded) {
    final String key = HeaderRules.routingKey(request.headers());
    final RoutingRequest.Builder builder =
        RoutingRequest.builder(id)
            .model(prompt.model)
            .maxTokens(prompt.maxTokens)
            .priority(prompt.priority)
            .routingKey(key == null ? prompt.user : key)
            .targetWorker(HeaderRules.targetWorker(request.headers()))
            .attempt(attempt)
            .excluded(excluded)
            .nowNs(HostClock.nanoTime());
    if (prompt.tokens != null) {
      builder.tokens(prompt.tokens);
    } else {
      builder.text(prompt.text);
    }
    return builder.build();
  }

  /** What the worker of an attempt gets; its body shares the memory of the client's. */
  FullHttpRequest to(Attempting attempt) {
    final HttpHeaders headers = request.headers().copy();
    headers.set(HttpHeaderNames.HOST, attempt.backend().entry().authority());
    headers.set(HeaderRules.REQUEST_ID, id);
    if (attempt.traceParent() != null) {
      headers.set(HeaderRules.TRACE_PARENT, attempt.traceParent());
    }
    final ByteBuf body = request.content();
    if (body.isReadable() || !request.method().equals(HttpMethod.GET)) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    if (workerKey != null) {
      headers.set(HttpHeaderNames.AUTHORIZATION, "Bearer " + workerKey);
    }
    return new DefaultFullHttpRequest(
        HttpVersion.HTTP_1_1,
        request.method(),
        request.uri(),
        body.retainedDuplicate(),
        headers,
        EmptyHttpHeaders.INSTANCE);
  }

  /** No other worker will be asked; may be called twice. */
  void giveUpBody() {
    if (!isBodyGivenUp) {
      isBodyGivenUp = true;
      received.release();
    }
  }
}
