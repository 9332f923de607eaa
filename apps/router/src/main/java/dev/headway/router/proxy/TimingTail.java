package dev.headway.router.proxy;

import dev.headway.routing.timing.ServerTiming;
import dev.headway.routing.timing.TimingJson;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Keeps the end of an answer, where a server says its instants. One thread. */
final class TimingTail {

  private static final int KEPT = 8_192;

  private final byte[] kept = new byte[KEPT];
  private int size;

  void add(ByteBuf part) {
    final int length = Math.min(part.readableBytes(), KEPT);
    final int keep = Math.min(size, KEPT - length);
    System.arraycopy(kept, size - keep, kept, 0, keep);
    part.getBytes(part.writerIndex() - length, kept, keep, length);
    size = keep + length;
  }

  /** What the server said; null if it did not, or not at the end. */
  @Nullable ServerTiming timing() {
    final String text = new String(kept, 0, size, StandardCharsets.UTF_8);
    final int field = text.lastIndexOf("\"" + TimingJson.SERVER_FIELD + "\":");
    if (field < 0) {
      return null;
    }
    try {
      final String from = text.substring(field + TimingJson.SERVER_FIELD.length() + 3);
      final JsonNode json = JsonMapper.shared().readerFor(JsonNode.class).readTree(object(from));
      return TimingJson.readServer(json);
    } catch (JacksonException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Up to the brace that closes the first; the names and ids in it hold none. */
  private static String object(String text) {
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      depth += text.charAt(i) == '{' ? 1 : 0;
      depth -= text.charAt(i) == '}' ? 1 : 0;
      if (depth == 0 && i > 0 && text.charAt(i) == '}') {
        return text.substring(0, i + 1);
      }
    }
    return text;
  }
}
