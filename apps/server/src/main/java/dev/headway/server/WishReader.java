package dev.headway.server;

import dev.headway.api.request.KvCacheRetention;
import dev.headway.api.request.RequestTimeouts;
import dev.headway.server.WishLimits.ForcedTokens;
import dev.headway.server.WishLimits.Retention;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Fields to {@link RequestWishes}: {@code kv_cache_retention_config} as in TensorRT-LLM, {@code
 * forced_token_ids}, {@code timeout}, {@code queue_timeout} and {@code run_timeout}. One thread.
 */
final class WishReader {

  private static final String RETENTION = "kv_cache_retention_config";
  private static final String RANGES = "token_range_retention_configs";
  private static final String DECODE = "decode_retention_priority";
  private static final String DECODE_DURATION = "decode_duration_ms";
  private static final String FORCED = "forced_token_ids";
  private static final String PINNED = "pinned";
  private static final long NS_PER_MS = 1_000_000;
  private static final double NS_PER_S = 1e9;

  private final Fields fields;
  private final WishLimits limits;

  private WishReader(Fields fields, WishLimits limits) {
    this.fields = fields;
    this.limits = limits;
  }

  /**
   * Reads them.
   *
   * @param longest from a request's arrival to its last token, or null for no end
   * @throws ApiException naming the field that is wrong, or the option that it needs
   */
  static RequestWishes read(
      Fields fields, WishLimits limits, @Nullable Duration longest, int vocabularySize) {
    final WishReader reader = new WishReader(fields, limits);
    return new RequestWishes(
        reader.retention(), reader.forcedTokenIds(vocabularySize), reader.timeouts(longest));
  }

  private RequestTimeouts timeouts(@Nullable Duration longest) {
    return RequestTimeouts.NONE
        .withTotal(seconds("timeout", longest, "--request-timeout"))
        .withQueue(seconds("queue_timeout", limits.timeouts().queue(), "--queue-timeout"))
        .withRun(seconds("run_timeout", limits.timeouts().run(), "--run-timeout"));
  }

  private @Nullable Duration seconds(String name, @Nullable Duration longest, String option) {
    if (!fields.has(name)) {
      return null;
    }
    final JsonNode value = fields.get(name);
    final long most = longest == null ? Long.MAX_VALUE : longest.toNanos();
    final double ns = value.isNumber() ? value.doubleValue() * NS_PER_S : Double.NaN;
    if (!(ns >= 1 && ns <= most)) {
      throw fields.wrong(
          name,
          longest == null
              ? "seconds > 0"
              : "seconds > 0, and at most those of " + option + ", " + longest.toSeconds(),
          value);
    }
    return Duration.ofNanos((long) ns);
  }

  private int[] forcedTokenIds(int vocabularySize) {
    if (!fields.has(FORCED)) {
      return new int[0];
    }
    if (limits.forcedTokens() == ForcedTokens.REFUSED) {
      throw fields.wrong(
          FORCED, "absent, or the server started with --allow-forced-tokens", fields.get(FORCED));
    }
    final int[] ids = fields.tokenIds(FORCED, vocabularySize);
    if (ids.length == 0) {
      throw fields.wrong(FORCED, "at least one token id", fields.get(FORCED));
    }
    return ids;
  }

  private @Nullable KvCacheRetention retention() {
    if (!fields.has(RETENTION)) {
      return null;
    }
    if (limits.retention() == Retention.REFUSED) {
      throw fields.wrong(
          RETENTION,
          "absent, or the server started with --kv-cache-retention priority",
          fields.get(RETENTION));
    }
    final Fields config = fields.object(RETENTION);
    final KvCacheRetention.Builder builder = KvCacheRetention.builder();
    for (Fields range : config.objects(RANGES, KvCacheRetention.MAX_RANGES)) {
      final int from = range.integer("token_start", 0, 0, Integer.MAX_VALUE - 1);
      final int to = range.integer("token_end", Integer.MAX_VALUE, from + 1, Integer.MAX_VALUE);
      final int priority = priority(range);
      final Duration duration = duration(range, "duration_ms", priority);
      requireKnown(range);
      if (duration == null) {
        builder.tokens(from, to, priority);
      } else {
        builder.tokens(from, to, priority, duration);
      }
    }
    decode(config, builder);
    requireKnown(config);
    return builder.build();
  }

  private int priority(Fields range) {
    final JsonNode value = range.get("priority");
    if (!value.isString() || !value.stringValue().equals(PINNED)) {
      return range
          .integer("priority", KvCacheRetention.DROP, KvCacheRetention.MAX_PRIORITY)
          .orElseThrow(() -> range.wrong("priority", "a whole number in [0, 100]", value));
    }
    if (limits.retention() != Retention.PIN) {
      throw range.wrong(
          "priority",
          "a whole number in [0, 100], or the server started with --kv-cache-retention pin",
          value);
    }
    return KvCacheRetention.PINNED;
  }

  private void decode(Fields config, KvCacheRetention.Builder builder) {
    final int priority =
        config.integer(
            DECODE,
            KvCacheRetention.DEFAULT_PRIORITY,
            KvCacheRetention.DROP,
            KvCacheRetention.MAX_PRIORITY);
    final Duration duration = duration(config, DECODE_DURATION, priority);
    if (!config.has(DECODE)) {
      if (config.has(DECODE_DURATION)) {
        throw config.wrong(
            DECODE_DURATION, "absent without " + DECODE, config.get(DECODE_DURATION));
      }
      return;
    }
    if (duration == null) {
      builder.decode(priority);
    } else {
      builder.decode(priority, duration);
    }
  }

  /** What is kept longer than others has an end: as late as may be if none is asked for. */
  private @Nullable Duration duration(Fields config, String name, int priority) {
    final boolean isBounded = priority > KvCacheRetention.DEFAULT_PRIORITY;
    final long most =
        isBounded ? limits.longestRetention().toMillis() : Long.MAX_VALUE / NS_PER_MS - 1;
    final OptionalLong millis = config.whole(name, 1, most);
    if (millis.isPresent()) {
      return Duration.ofMillis(millis.getAsLong());
    }
    return isBounded ? limits.longestRetention() : null;
  }

  private static void requireKnown(Fields config) {
    for (String name : config.unread()) {
      throw ApiException.invalid(name, name + " must be absent: it is not supported");
    }
  }
}
