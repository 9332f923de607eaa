package dev.headway.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Watches the bytes of a head in front of the decoder: says when the first has come, and refuses
 * lines that go on in the next one, which the decoder joins (RFC 9112, section 5.2). Its event loop
 * only.
 */
final class HeadWatch extends ChannelInboundHandlerAdapter {

  private final Connection connection;
  private boolean isWatching;
  private boolean hasBegun;
  private boolean isLineBegin;
  private boolean isLineEmpty;

  HeadWatch(Connection connection) {
    this.connection = connection;
    expectHead();
  }

  /** The next byte is the first of a head. */
  void expectHead() {
    isWatching = true;
    hasBegun = false;
    isLineBegin = false;
    isLineEmpty = true;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (isWatching && message instanceof ByteBuf bytes && isFolded(bytes)) {
      isWatching = false;
      bytes.release();
      connection.refuse(
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
          connection.headBegins();
        }
        isLineBegin = false;
        isLineEmpty = false;
      }
    }
    return false;
  }
}
