package dev.headway.router;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headway.router.kvcache.CacheOptions;
import dev.headway.router.prompt.PromptTokenizer;
import dev.headway.routing.kvevents.KvEventIndex;
import dev.headway.routing.kvevents.KvEventPublisher;
import dev.headway.routing.kvevents.KvEventsOptions;
import dev.headway.routing.kvevents.codec.KvBlockHash;
import dev.headway.routing.kvevents.codec.KvEvent;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that publish what they have cached, and requests that go there. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KvEventsRoutingTest {

  private static final int BLOCK = 4;
  private static final String TEXT = "twelve chars";

  private final KvEventIndex index = new KvEventIndex();
  private final RouterFixture given = new RouterFixture(3);
  private KvEventPublisher publisher;

  @BeforeEach
  void publish() {
    publisher = publisher();
    given.policy = "precise-prefix";
    given.workers.get(2).serverInfo = serverInfo(publisher);
  }

  @AfterEach
  void close() {
    given.close();
    publisher.close();
  }

  @Test
  void shouldSendAPromptOfTokensWhereItsBlocksAre() throws Exception {
    given.caches = new CacheOptions(index, null);
    start();

    for (int i = 0; i < 4; i++) {
      given.send(given.completion("{\"prompt\":" + List.of(tokens(TEXT)) + "}"));
      given.send(given.completion("{\"prompt\":\"" + TEXT + "\"}"));
    }

    assertThat(given.attemptsMade)
        .filteredOn(each -> each.decision().request().hasTokens())
        .hasSize(4)
        .allSatisfy(
            each -> {
              assertThat(each.decision().chosen()).isEqualTo(2);
              assertThat(each.decision().matchedUnits(2)).isEqualTo(12);
            });
    assertThat(given.attemptsMade)
        .filteredOn(each -> !each.decision().request().hasTokens())
        .as("nothing makes tokens of a text")
        .hasSize(4)
        .allSatisfy(each -> assertThat(each.decision().matchedUnits(2)).isZero());
  }

  @Test
  void shouldMakeTheTokensOfATextAndOfAConversation() throws Exception {
    given.caches = new CacheOptions(index, new Characters());
    start();

    given.send(given.completion("{\"prompt\":\"" + TEXT + " and more\"}"));
    given.send(
        given.completion(
            "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"twelve\"},"
                + "{\"type\":\"text\",\"text\":\" chars\"}]}]}"));

    assertThat(given.attemptsMade)
        .hasSize(2)
        .allSatisfy(
            each -> {
              assertThat(each.decision().chosen()).isEqualTo(2);
              assertThat(each.decision().matchedUnits(2)).isEqualTo(12);
            });
  }

  @Test
  void shouldRouteByTheTextWhatCannotBeTokens() throws Exception {
    given.caches = new CacheOptions(index, new Characters());
    start();

    given.send(given.completion("{\"prompt\":\"fail\"}"));

    assertThat(given.attemptsMade.element().outcome()).isEqualTo("completed");
    assertThat(given.attemptsMade.element().decision().request().hasTokens()).isFalse();
    assertThat(given.send(given.request("/metrics").build()).body())
        .contains("headway_router_prompts_without_tokens_total 1.0")
        .contains(
            "headway_router_worker_kv_blocks{worker=\"" + given.workers.get(2).id() + "\"} 3.0")
        .contains(
            "headway_router_worker_kv_events_connected{worker=\""
                + given.workers.get(0).id()
                + "\"} 0.0");
  }

  @Test
  void shouldFollowAWorkerThatComesBackWithOtherEvents() throws Exception {
    given.caches = new CacheOptions(index, new Characters());
    start();
    final FakeWorker worker = given.workers.get(2);

    worker.die();
    publisher.close();
    publisher = publisher();
    worker.serverInfo = serverInfo(publisher);
    worker.listen();

    RouterFixture.eventually("the new cache is followed", () -> index.blocks(worker.id()) == 0);
    store("other prompt");
    RouterFixture.eventually("its blocks are known", () -> index.blocks(worker.id()) == 3);
  }

  @Test
  void shouldFollowAWorkerThatWasAwayBetweenTwoChecks() throws Exception {
    given.caches = new CacheOptions(index, new Characters());
    start();
    final FakeWorker worker = given.workers.get(2);

    final KvEventPublisher before = publisher;
    publisher = publisher();
    worker.serverInfo = serverInfo(publisher); // without a check that fails
    before.close();

    RouterFixture.eventually("the new cache is followed", () -> index.blocks(worker.id()) == 0);
    store("other prompt");
    RouterFixture.eventually("its blocks are known", () -> index.blocks(worker.id()) == 3);
  }

  @Test
  void shouldForgetAWorkerThatIsRemoved() throws Exception {
    given.caches = new CacheOptions(index, null);
    start();

    given.router().workers().remove(given.workers.get(2).id());

    RouterFixture.eventually(
        "its blocks are gone", () -> index.blocks(given.workers.get(2).id()) == 0);
  }

  /** All workers are well, and the third is known to have the text cached. */
  private void start() throws Exception {
    given.start();
    store(TEXT);
    RouterFixture.eventually("known", () -> index.blocks(given.workers.get(2).id()) == 3);
  }

  private void store(String text) {
    final int[] tokens = text.codePoints().toArray();
    final List<KvBlockHash> hashes =
        IntStream.range(0, tokens.length / BLOCK)
            .mapToObj(block -> KvBlockHash.ofLong(text.hashCode() + block))
            .toList();
    publisher.offer(
        0,
        () ->
            List.of(
                new KvEvent.BlockStored(
                    hashes, null, tokens, BLOCK, null, KvEvent.GPU, null, null, null, null, null)));
  }

  private static KvEventPublisher publisher() {
    final String any = "tcp://127.0.0.1:*";
    return KvEventPublisher.open(KvEventsOptions.at(any).withReplay(any));
  }

  private static String serverInfo(KvEventPublisher publisher) {
    return "{\"kv_events_config\":\"{\\\"endpoint\\\":\\\""
        + publisher.endpoint()
        + "\\\",\\\"replay_endpoint\\\":\\\""
        + publisher.replayEndpoint()
        + "\\\"}\"}";
  }

  private static Object[] tokens(String text) {
    return text.codePoints().boxed().toArray();
  }

  /** A token for each character; conversations are their contents. */
  private static final class Characters implements PromptTokenizer {
    @Override
    public int[] completion(String prompt) {
      if (prompt.equals("fail")) {
        throw new IllegalStateException("as asked");
      }
      return prompt.codePoints().toArray();
    }

    @Override
    public int[] chat(List<Message> messages) {
      return messages.getFirst().content().codePoints().toArray();
    }
  }
}
