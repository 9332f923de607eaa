package dev.headway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Watches the bytes of a head in front of the decoder: says when the first has come, and refuses
 * lines that go on in the next one, which the decoder joins (RFC 9112, section 5.2). Its event loop
 * only.
 */
public final class HeadWatch extends ChannelInboundHandlerAdapter {

  /** What a connection does about it. */
  public interface Listener {
    /** The first byte of a request has come. */
    void headBegins();

    /** What comes is no request. */
    void refuse(HttpFailure failure);
  }

  private final Listener listener;
  private boolean isWatching;
  private boolean hasBegun;
  private boolean isLineBegin;
  private boolean isLineEmpty;

  /** Expects a head. */
  public HeadWatch(Listener listener) {
    this.listener = listener;
    expectHead();
  }

  /** The next byte is the first of a head. */
  public void expectHead() {
    isWatching = true;
    hasBegun = false;
    isLineBegin = false;
    isLineEmpty = true;
  }

  /** What comes is no head: the rest of a request, or of one that waits. */
  public void headEnds() {
    isWatching = false;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isWatching && message instanceof ByteBuf bytes && isFolded(bytes)) {
      isWatching = false;
      bytes.release();
      listener.refuse(
          new HttpFailure(
              400, "bad_request", "a header must be in one line: a line begins with a blank"));
      return;
    }
    context.fireChannelRead(message);
  }

  private boolean isFolded(ByteBuf bytes) {
    for (int i = bytes.readerIndex(); i < bytes.writerIndex() && isWatching; i++) {
      final byte next = bytes.getByte(i);
      if (next == '\n') {
        isWatching = !hasBegun || !isLineEmpty;
        isLineBegin = hasBegun;
        isLineEmpty = true;
      } else if (next != '\r') {
        if (isLineBegin && (next == ' ' || next == '\t')) {
          return true;
        }
        if (!hasBegun) {
          hasBegun = true;
          listener.headBegins();
        }
        isLineBegin = false;
        isLineEmpty = false;
      }
    }
    return false;
  }
}
