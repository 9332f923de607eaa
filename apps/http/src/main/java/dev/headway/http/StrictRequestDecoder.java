package dev.headway.http;

import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/** Requests from bytes; one with two lengths is refused where Netty picks one of them. */
public final class StrictRequestDecoder extends HttpRequestDecoder {

  private static final int MAX_PART_BYTES = 16 << 10;

  /** Within the sizes of {@link ConnectionLimits}. */
  public StrictRequestDecoder() {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(ConnectionLimits.MAX_LINE_BYTES)
            .setMaxHeaderSize(ConnectionLimits.MAX_HEAD_BYTES)
            .setMaxChunkSize(MAX_PART_BYTES)
            .setStrictLineParsing(true));
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException(
        "a request must have Content-Length or Transfer-Encoding and not both");
  }
}
