package dev.headway.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.api.kvcache.KvBlocksStored;
import dev.headway.api.probe.Probe;
import dev.headway.api.probe.ProbeInterest;
import dev.headway.api.probe.QueuedEvent;
import dev.headway.http.ApiKeys;
import dev.headway.server.Access.PrefixSharing;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.TextExecutor;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two keys, one prompt, from the socket to the cache: neither finds what the other has left. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TenantsTest {

  private static final String PROMPT = "the same words of two tenants, ".repeat(4); // 124 bytes
  private static final int CACHED = 112; // whole blocks of 16

  private final Stored stored = new Stored();
  private ApiKeys keys = ApiKeys.of("one", "two");
  private Served served;

  /** Names of blocks by the salt of the request that made them. */
  private static final class Stored implements Probe {
    private final Map<String, Set<Long>> bySalt = new ConcurrentHashMap<>();
    private final List<String> tenants = new CopyOnWriteArrayList<>();

    @Override
    public Set<ProbeInterest> interests() {
      return Set.of(ProbeInterest.KV_BLOCKS, ProbeInterest.REQUESTS);
    }

    @Override
    public void onQueued(QueuedEvent event) {
      tenants.add(Objects.requireNonNullElse(event.request().tenant(), ""));
    }

    @Override
    public void onKvStored(KvBlocksStored event) {
      final Set<Long> names =
          bySalt.computeIfAbsent(
              event.request().request().cacheSalt(), salt -> ConcurrentHashMap.newKeySet());
      for (int i = 0; i < event.count(); i++) {
        names.add(event.contentHash(i));
      }
    }
  }

  private void serve(PrefixSharing sharing) {
    final EngineTimes times = new EngineTimes(); // they know what was cached
    final Served.Setup setup = new Served.Setup().probe(stored).probe(times);
    setup.options =
        usual ->
            usual
                .withEngineTimes(times, false)
                .withAccess(usual.access().withKeys(keys).withPrefixSharing(sharing));
    served = setup.start(new TextExecutor("text", 200));
  }

  @AfterEach
  void close() {
    served.close();
  }

  @Test
  void shouldFindWhatTheSameKeyHasLeftAndNothingElse() {
    serve(PrefixSharing.WITHIN_KEY);

    assertThat(cached("one", "")).isZero();
    assertThat(cached("one", "")).as("the cache works").isEqualTo(CACHED);

    assertThat(cached("two", "")).isZero();
    assertThat(cached("two", "one")).as("its name as salt").isZero();
    for (String salt : List.copyOf(stored.bySalt.keySet())) {
      assertThat(cached("two", salt)).as("a salt of the engine's, were it known").isZero();
    }
    assertThat(cached("two", "")).as("its own").isEqualTo(CACHED);
    assertThat(cached("one", "")).as("still there").isEqualTo(CACHED);
  }

  @Test
  void shouldNarrowWithinAKey() {
    serve(PrefixSharing.WITHIN_KEY);
    cached("one", "");

    assertThat(cached("one", "a")).isZero();
    assertThat(cached("one", "a")).isEqualTo(CACHED);
    assertThat(cached("two", "a")).isZero();
    assertThat(cached("one", "b")).isZero();
    assertThat(cached("one", "")).isEqualTo(CACHED);
  }

  /** What is published of the cache has other names for each key, and no secret. */
  @Test
  void shouldNameBlocksByTheSaltOfTheKey() {
    serve(PrefixSharing.WITHIN_KEY);
    cached("one", "a");
    cached("two", "a");
    cached("two", "");

    assertThat(stored.bySalt).hasSize(3);
    final Set<Long> all = new HashSet<>();
    for (Map.Entry<String, Set<Long>> each : new HashMap<>(stored.bySalt).entrySet()) {
      assertThat(each.getKey()).hasSize(64).doesNotContain("one", "two");
      assertThat(each.getValue()).hasSizeGreaterThanOrEqualTo(CACHED / 16);
      assertThat(all).doesNotContainAnyElementsOf(each.getValue());
      all.addAll(each.getValue());
    }
  }

  @Test
  void shouldShareBetweenKeysWhereThatIsAskedFor() {
    serve(PrefixSharing.BETWEEN_KEYS);

    assertThat(cached("one", "")).isZero();
    assertThat(cached("two", "")).isEqualTo(CACHED);
    assertThat(cached("two", "a")).isZero();
    assertThat(cached("one", "a")).isEqualTo(CACHED);
  }

  @Test
  void shouldTellTheEngineWhoseRequestsTheyAre() {
    keys = ApiKeys.of("acme:one", "two");
    serve(PrefixSharing.WITHIN_KEY);

    cached("one", "");
    cached("two", "");

    assertThat(stored.tenants).containsExactly("acme", "key-2");
  }

  @Test
  void shouldNameNoTenantWhereThereIsOneKeyWithoutAName() {
    keys = ApiKeys.of("one");
    serve(PrefixSharing.WITHIN_KEY);

    cached("one", "");

    assertThat(stored.tenants).containsExactly("");
  }

  /** By the name that SGLang has for it, too. */
  @Test
  void shouldTakeAnExtraKeyForASalt() {
    serve(PrefixSharing.WITHIN_KEY);
    cached("one", "a");

    assertThat(cached("one", "\"extra_key\":\"b\"", 200)).isZero();
    assertThat(cached("one", "\"extra_key\":\"a\"", 200)).isEqualTo(CACHED);
    cached("one", "\"extra_key\":\"a\",\"cache_salt\":\"a\"", 400);
  }

  private int cached(String key, String salt) {
    return cached(key, "\"cache_salt\":\"" + salt + "\"", 200);
  }

  private int cached(String key, String field, int status) {
    final HttpResponse<String> answer =
        served.post(
            "/generate",
            "{\"text\":\""
                + PROMPT
                + "\",\"sampling_params\":{\"max_new_tokens\":2},"
                + field
                + "}",
            "Authorization",
            "Bearer " + key);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return Served.json(answer.body()).path("meta_info").path("cached_tokens").asInt();
  }
}
