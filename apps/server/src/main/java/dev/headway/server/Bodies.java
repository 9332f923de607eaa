package dev.headway.server;

import dev.headway.http.BodyBudget;
import dev.headway.http.HttpFailure;
import dev.headway.http.RequestRules;
import dev.headway.http.server.ServerExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import tools.jackson.databind.node.ObjectNode;

/** Reads bodies of requests, within a budget of memory. Any thread. */
final class Bodies {

  private static final int FIRST_BYTES = 4 << 10;
  private static final int CHARS_AT_ONCE = 4 << 10;

  /** An object of Jackson's in a collection of another, without its text. */
  private static final int BYTES_PER_JSON_TOKEN = 64;

  private final int maxBytes;
  private final BodyBudget budget;

  Bodies(RequestLimits limits) {
    this.maxBytes = limits.maxBodyBytes();
    this.budget = new BodyBudget(limits.bodyMemoryBytes());
  }

  BodyBudget.Claim claim(ServerExchange exchange) {
    return budget.claim(exchange.clientAddress());
  }

  /** Bytes in use. */
  long held() {
    return budget.held();
  }

  /**
   * Reads a body.
   *
   * @param claim pays for its bytes
   * @throws ApiException if it is too long or comes too slowly; the rest is not read
   */
  byte[] read(ServerExchange exchange, BodyBudget.Claim claim) throws IOException {
    try {
      return bytes(exchange, claim);
    } catch (HttpFailure e) {
      throw ApiException.of(e);
    }
  }

  /**
   * Makes a JSON object of a body.
   *
   * @param claim pays for the tree, before there is one
   * @throws ApiException if it is none
   */
  ObjectNode object(byte[] body, BodyBudget.Claim claim) {
    requireUtf8(body);
    try {
      claim.add(Json.tokens(body) * BYTES_PER_JSON_TOKEN);
    } catch (HttpFailure e) {
      throw ApiException.of(e);
    }
    return Json.object(body);
  }

  private byte[] bytes(ServerExchange exchange, BodyBudget.Claim claim) throws IOException {
    RequestRules.requireLength(exchange.header("Content-Length"), maxBytes);
    final InputStream in = exchange.body();
    byte[] body = new byte[Math.min(FIRST_BYTES, maxBytes + 1)];
    claim.add(body.length);
    int size = 0;
    while (true) {
      final int read = in.read(body, size, body.length - size);
      if (read < 0) {
        return Arrays.copyOf(body, size);
      }
      size += read;
      if (size > maxBytes) {
        throw RequestRules.tooLong(maxBytes);
      }
      if (size == body.length) {
        final int larger = (int) Math.min(2L * body.length, maxBytes + 1L);
        claim.add(larger - body.length);
        body = Arrays.copyOf(body, larger);
      }
    }
  }

  /** Jackson decodes bytes that are no UTF-8, such as overlong forms, in its own way. */
  private static void requireUtf8(byte[] body) {
    final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    final ByteBuffer bytes = ByteBuffer.wrap(body);
    final CharBuffer chars = CharBuffer.allocate(Math.min(CHARS_AT_ONCE, body.length + 1));
    CoderResult result = CoderResult.OVERFLOW;
    while (result.isOverflow()) {
      chars.clear();
      result = decoder.decode(bytes, chars, true);
    }
    if (result.isError()) {
      throw ApiException.invalid(
          null, "the body must be UTF-8: the first byte that is not is at=" + bytes.position());
    }
  }
}
