package dev.headway.loadgen.client;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingStage;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request and what came of it, with the client's instants. Written by one thread at a time: the
 * one that lets it go, then the target's; read once it has ended.
 */
public final class Exchange {

  /** How a request ended. */
  public enum Status {
    /** Under way. */
    PENDING,
    /** Answered in full. */
    OK,
    /** Refused, broken off, or answered with something else. */
    ERROR,
    /** Not answered in time. */
    TIMEOUT,
    /** Ended by this program. */
    ABORTED
  }

  private static final long[] NONE = {};

  private final Consumer<Exchange> onEnd;
  private final boolean keepsText;
  private final RequestTiming at = new RequestTiming();
  private final StringBuilder text = new StringBuilder();
  private Status status = Status.PENDING;
  private long headNs = ABSENT;
  private long[] chunksNs = NONE;
  private int chunks;
  private int promptTokens = -1;
  private int cachedTokens = -1;
  private int outputTokens = -1;
  private @Nullable String finishReason;
  private @Nullable String error;
  private @Nullable RouterTiming router;
  private @Nullable ServerTiming server;

  /**
   * Begins an exchange.
   *
   * @param keepsText whether the answer's text is kept
   * @param onEnd called once, by the thread that ends it; must not block
   */
  public Exchange(boolean keepsText, Consumer<Exchange> onEnd) {
    this.keepsText = keepsText;
    this.onEnd = onEnd;
  }

  /** The client's instants, on {@link HostClock}. */
  public RequestTiming at() {
    return at;
  }

  /** The request is written; a second attempt on another connection counts from here. */
  public void sent(long nowNs) {
    at.set(TimingStage.SENT, nowNs);
  }

  /** The head of the answer is read. */
  public void head(long nowNs) {
    headNs = nowNs;
  }

  /** A part of the answer that holds a token, with its text, is read. */
  public void chunk(long nowNs, String part) {
    if (chunks == chunksNs.length) {
      chunksNs = Arrays.copyOf(chunksNs, Math.max(16, 2 * chunks));
    }
    chunksNs[chunks++] = nowNs;
    if (keepsText) {
      text.append(part);
    }
  }

  /** A whole answer's text is read at once: there is no first token to speak of. */
  public void whole(long nowNs, String all) {
    at.set(TimingStage.CLIENT_LAST_TOKEN, nowNs);
    if (keepsText) {
      text.append(all);
    }
  }

  /** What the answer counted; -1 for what it did not. */
  public void usage(int prompt, int cached, int output) {
    promptTokens = prompt >= 0 ? prompt : promptTokens;
    cachedTokens = cached >= 0 ? cached : cachedTokens;
    outputTokens = output >= 0 ? output : outputTokens;
  }

  /** Why the answer ended. */
  public void finishReason(String reason) {
    finishReason = reason;
  }

  /** The router's part. */
  public void router(RouterTiming timing) {
    router = timing;
  }

  /** The server's part. */
  public void server(ServerTiming timing) {
    server = timing;
  }

  /** The end of the answer is read. An answer without any part that holds a token has failed. */
  public void done(long nowNs) {
    if (chunks == 0 && !at.has(TimingStage.CLIENT_LAST_TOKEN)) {
      failed(Status.ERROR, nowNs, "the answer held no token");
      return;
    }
    end(Status.OK, nowNs);
  }

  /** The request has failed. */
  public void failed(Status how, long nowNs, String why) {
    if (status == Status.PENDING) {
      error = why;
      end(how, nowNs);
    }
  }

  private void end(Status how, long nowNs) {
    if (status != Status.PENDING) {
      return;
    }
    status = how;
    if (chunks > 0) {
      at.set(TimingStage.CLIENT_FIRST, chunksNs[0]);
      at.set(TimingStage.CLIENT_LAST_TOKEN, chunksNs[chunks - 1]);
    }
    at.set(TimingStage.CLIENT_DONE, nowNs);
    onEnd.accept(this);
  }

  /** How it ended. */
  public Status status() {
    return status;
  }

  /** When the head of the answer was read, or absent. */
  public long headNs() {
    return headNs;
  }

  /** When each part that holds a token was read; a copy. */
  public long[] chunksNs() {
    return Arrays.copyOf(chunksNs, chunks);
  }

  /** How many parts that hold a token were read. */
  public int chunks() {
    return chunks;
  }

  /** Tokens of the prompt as the server counted them, or -1. */
  public int promptTokens() {
    return promptTokens >= 0 || server == null ? promptTokens : server.promptTokens();
  }

  /** Those of them that the server found in its cache, or -1. */
  public int cachedTokens() {
    return cachedTokens >= 0 || server == null ? cachedTokens : server.cachedTokens();
  }

  /** Tokens of the answer as the server counted them, or -1. */
  public int outputTokens() {
    return outputTokens >= 0 || server == null ? outputTokens : server.outputTokens();
  }

  /** Why the answer ended, or null. */
  public @Nullable String finishReason() {
    return finishReason;
  }

  /** What went wrong, or null. */
  public @Nullable String error() {
    return error;
  }

  /** The text of the answer, if it is kept; else empty. */
  public String text() {
    return text.toString();
  }

  /** What a router said, or null. */
  public @Nullable RouterTiming router() {
    return router;
  }

  /** What the server said, or null. */
  public @Nullable ServerTiming server() {
    return server;
  }
}
