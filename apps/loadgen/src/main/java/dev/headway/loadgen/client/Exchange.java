package dev.headway.loadgen.client;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.RouterTiming;
import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingStage;
import java.util.Arrays;
import java.util.BitSet;
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
  private final BitSet textless = new BitSet();
  private long endChunkNs = ABSENT;
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

  /** A part of the answer that holds a token without text, or none, is read. */
  public void textlessChunk(long nowNs) {
    textless.set(chunks);
    add(nowNs);
  }

  /** A part of the answer that holds a token, with its text, is read. */
  public void chunk(long nowNs, String part) {
    add(nowNs);
    if (keepsText) {
      text.append(part);
    }
  }

  /** A part that has the finish reason and no text is read: the token that ended it, or none. */
  public void endChunk(long nowNs) {
    endChunkNs = nowNs;
  }

  private void add(long nowNs) {
    if (chunks == chunksNs.length) {
      chunksNs = Arrays.copyOf(chunksNs, Math.max(16, 2 * chunks));
    }
    chunksNs[chunks++] = nowNs;
  }

  /**
   * Leaves the parts that hold a token. A server that counts tokens says whether the last part is
   * one: vLLM sends the end-of-sequence token so, others a part of its own behind the last token.
   * Of a server that counts none, only parts with text are tokens.
   */
  private void settleChunks() {
    if (isCounted()) {
      if (endChunkNs != ABSENT && outputTokens() > chunks) {
        add(endChunkNs);
      }
      return;
    }
    int kept = 0;
    for (int i = 0; i < chunks; i++) {
      if (!textless.get(i)) {
        chunksNs[kept++] = chunksNs[i];
      }
    }
    if (kept == 0 && (chunks > 0 || endChunkNs != ABSENT)) { // an answer of special tokens alone
      chunksNs = new long[] {chunks > 0 ? chunksNs[0] : endChunkNs};
      kept = 1;
    }
    chunks = kept;
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
    settleChunks();
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

  /** Whether the server counted the tokens of the answer. */
  public boolean isCounted() {
    return outputTokens() >= 0;
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
