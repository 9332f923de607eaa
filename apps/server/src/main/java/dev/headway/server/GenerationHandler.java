package dev.headway.server;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.RequestOutcome.Finished;
import dev.headway.api.engine.SampledGroup;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.request.Request;
import dev.headway.http.ApiKeys;
import dev.headway.http.BodyBudget;
import dev.headway.http.server.ServerExchange;
import dev.headway.routing.timing.TimingStage;
import dev.headway.server.GenerationRequest.Echo;
import dev.headway.serving.ChoiceText;
import dev.headway.serving.ConstraintCompiler;
import dev.headway.serving.ServedModel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The way of one request: read, check, tokenise, submit, answer. On the request's own thread, which
 * waits for the engine's tokens and for the client.
 */
final class GenerationHandler {

  /** How often a client that waits for its first token is looked at. */
  static final Duration HEARTBEAT = Duration.ofSeconds(1);

  /** What a client may take nothing for before its tokens are counted. */
  private static final Duration STALL = Duration.ofSeconds(1);

  /** Which fields of the body were not known. */
  private static final String IGNORED = "x-ignored-fields";

  private final UnderWay underWay = new UnderWay();
  private final Engine engine;
  private final ServedModel model;
  private final ServerOptions options;
  private final Bodies bodies;
  private final CacheSalts salts;
  private final EngineRequests requests;
  private final ConstraintCompiler constraints;
  private final PromptScoring scoring;
  private final AnswerTimes times;
  private final Duration keepAlive;

  GenerationHandler(Engine engine, ServedModel model, ServerOptions options, Bodies bodies) {
    this.engine = engine;
    this.model = model;
    this.options = options;
    this.bodies = bodies;
    this.salts = new CacheSalts(options.access().prefixSharing());
    this.constraints =
        new ConstraintCompiler(model, options.structure().limits(), options.structure().threads());
    this.requests = new EngineRequests(model, options.limits(), constraints);
    this.scoring = new PromptScoring(engine, underWay);
    this.times = new AnswerTimes(engine, options.answers());
    this.keepAlive = options.answers().keepAlive();
  }

  /** Requests that are being answered. */
  UnderWay underWay() {
    return underWay;
  }

  /**
   * Answers a request.
   *
   * @param requestId its name, without the prefix of the format
   * @throws ApiException if it cannot be and nothing was sent yet
   * @throws IOException if the client is gone
   */
  void handle(ServerExchange exchange, AnswerFormat format, String requestId) throws IOException {
    try (BodyBudget.Claim claim = bodies.claim(exchange)) {
      final Body body = new Body(bodies.read(exchange, claim), claim);
      final long arrivedNs = engine.clock().nanoTime();
      final String id = format.idPrefix() + requestId;
      final Journey journey = new Journey(engine, id, arrivedNs);
      answer(exchange, format, body, new Identity(id, arrivedNs), journey);
    }
  }

  private void answer(
      ServerExchange exchange, AnswerFormat format, Body body, Identity identity, Journey journey)
      throws IOException {
    try {
      answer(exchange, format, prepared(exchange, format, body, identity, journey), journey);
      journey.departed();
    } catch (ApiException e) {
      journey.aborted(e.status == 400 ? "validation_error" : "generation_error", e.recorded());
      throw e;
    } catch (IOException e) {
      journey.aborted("client_disconnect", text(e));
      throw e;
    } catch (InterruptedException e) {
      journey.aborted("client_disconnect", "the server is stopping");
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a token", e);
    } finally {
      journey.aborted("exception", "the server failed");
    }
  }

  /** Of one HTTP request. */
  private record Identity(String id, long arrivedNs) {}

  /** The bytes of a request, until they are read: answers take long, and must not keep them. */
  private static final class Body {
    private final BodyBudget.Claim claim;
    private byte[] bytes;

    Body(byte[] bytes, BodyBudget.Claim claim) {
      this.bytes = bytes;
      this.claim = claim;
    }

    byte[] take() {
      final byte[] taken = bytes;
      bytes = new byte[0];
      return taken;
    }
  }

  /** What is left of a body once the engine can have it. */
  private record Prepared(
      String id,
      long arrivedNs,
      GenerationRequest asked,
      List<SampledGroup> groups,
      List<Request> scoring,
      List<PromptEcho> echoes,
      List<ChoiceText> choices,
      int promptTokens,
      BodyBudget.Claim claim) {

    List<Request> requests() {
      return requestsOf(groups);
    }
  }

  private static List<Request> requestsOf(List<SampledGroup> groups) {
    return groups.stream().flatMap(group -> group.requests().stream()).toList();
  }

  private Prepared prepared(
      ServerExchange exchange, AnswerFormat format, Body body, Identity identity, Journey journey) {
    final ObjectNode json = bodies.object(body.take(), body.claim);
    final GenerationRequest asked = format.read(json);
    nameIgnored(exchange, asked.ignored());
    final String id = underWay.unique(format.givenId(json).orElse(identity.id));
    journey.reached(JourneyStage.TOKENIZE_STARTED);
    final List<int[]> prompts = requests.tokenise(asked);
    journey.reached(JourneyStage.TOKENIZE_ENDED);
    final ApiKeys.Key key = options.access().keys().keyOf(exchange.header("Authorization"));
    final EngineRequests.Origin origin =
        new EngineRequests.Origin(
            id,
            exchange.header("traceparent"),
            key == null ? null : key.tenant(),
            salts.of(key == null ? null : key.secret(), asked.cacheSalt()),
            timeLeft(identity.arrivedNs));
    final List<SampledGroup> groups = requests.build(asked, prompts, origin);
    return new Prepared(
        id,
        identity.arrivedNs,
        asked.withoutPrompts(),
        groups,
        requests.scoring(asked, prompts, origin),
        PromptEcho.of(asked, prompts, model.tokenizer()),
        choices(asked, prompts, requestsOf(groups)),
        prompts.stream().mapToInt(prompt -> prompt.length).sum(),
        body.claim);
  }

  /** Says in the answer which fields were not known. */
  static void nameIgnored(ServerExchange exchange, List<String> names) {
    if (!names.isEmpty()) {
      exchange.setHeader(IGNORED, String.join(",", names));
    }
  }

  private @Nullable Duration timeLeft(long arrivedNs) {
    final Duration timeout = options.limits().timeout();
    if (timeout == null) {
      return null;
    }
    final long leftNs = timeout.toNanos() - (engine.clock().nanoTime() - arrivedNs);
    return Duration.ofNanos(Math.max(leftNs, 1));
  }

  private void answer(
      ServerExchange exchange, AnswerFormat format, Prepared prepared, Journey journey)
      throws IOException, InterruptedException {
    scoring.run(
        exchange,
        prepared.scoring,
        prepared.echoes,
        new PromptScoring.Of(prepared.id, prepared.promptTokens, prepared.arrivedNs));
    final List<Request> requests = prepared.requests();
    journey.knownAs(requests.stream().map(Request::id).toList());
    times.watch(prepared.asked.delivery(), journey.ids());
    journey.timing().set(TimingStage.DISPATCHED, engine.clock().nanoTime());
    try (TokenStream tokens =
        TokenStream.submitGroups(
            engine, prepared.groups, mostTokens(requests), prepared.arrivedNs)) {
      if (tokens.refusal().isPresent()) {
        throw ApiException.refused(tokens.refusal().get());
      }
      final String constrained = prepared.asked.shape().field();
      for (Request request : requests) { // before a stream's head: they may be wrong
        ConstraintWait.await(request, constrained, () -> requireClient(exchange));
      }
      journey.reached(JourneyStage.HANDOFF_TO_CORE);
      prepared.claim.close(); // the engine bounds what it keeps
      exchange.onGone(tokens::close);
      exchange.setPatience(stalledNs -> requireReader(tokens, stalledNs));
      final Turn turn =
          new Turn(
              prepared.asked,
              prepared.choices,
              prepared.promptTokens,
              format.answer(prepared.id, nameOf(prepared.asked), prepared.asked, prepared.echoes),
              tokens,
              journey,
              underWay.begin(prepared.id, prepared.promptTokens, tokens.handles()));
      if (prepared.asked.delivery().stream()) {
        stream(exchange, turn);
      } else {
        whole(exchange, turn);
      }
    } finally {
      underWay.end(prepared.id);
      times.forget(journey.ids());
    }
  }

  /** Ends what compiles constraints. */
  void close() {
    constraints.close();
  }

  /** Room for all: how far this thread is behind the engine is not the client's doing. */
  static int mostTokens(List<Request> requests) {
    final long tokens = requests.stream().mapToLong(each -> each.stopRule().maxTokens()).sum();
    return (int) Math.min(tokens, Integer.MAX_VALUE - requests.size());
  }

  /** Tokens count as unread while the client takes nothing of what was written. */
  private void requireReader(TokenStream tokens, long stalledNs) throws IOException {
    if (stalledNs > STALL.toNanos() && tokens.unread() > options.limits().maxUnreadTokens()) {
      throw new IOException(
          "tokens must be read in time: unread="
              + tokens.unread()
              + ", --max-unread-tokens="
              + options.limits().maxUnreadTokens());
    }
  }

  /** What belongs to an answer under way. */
  private record Turn(
      GenerationRequest asked,
      List<ChoiceText> choices,
      int promptTokens,
      Answer answer,
      TokenStream tokens,
      Journey journey,
      UnderWay.Entry entry) {

    boolean isDone() {
      return choices.stream().allMatch(ChoiceText::isDone);
    }

    /**
     * Whether it is a token behind a prompt that was asked for alone: one is made to compute it.
     */
    boolean leavesOut(TokenStream.Event event) {
      return asked.echo() == Echo.PROMPT_ALONE && event instanceof TokenStream.Token;
    }

    /** Whether what is to be said now is said by the end of the stream. */
    boolean isClosing() {
      return answer.closesWithLastToken() && isDone();
    }
  }

  private List<ChoiceText> choices(
      GenerationRequest asked, List<int[]> prompts, List<Request> all) {
    final List<ChoiceText> choices = new ArrayList<>();
    for (int[] prompt : prompts) {
      for (int i = 0; i < asked.candidates(); i++) {
        final int index = choices.size();
        choices.add(
            new ChoiceText(
                index,
                model.tokenizer().decoder(prompt),
                asked.stop().strings(),
                all.get(index).stopRule(),
                asked.shape().tools().begin()));
      }
    }
    return choices;
  }

  private void whole(ServerExchange exchange, Turn turn) throws IOException, InterruptedException {
    while (!turn.isDone()) {
      final TokenStream.Event event = turn.tokens.next(HEARTBEAT);
      if (event != null) {
        accept(event, turn);
      } else {
        requireClient(exchange);
      }
    }
    final ObjectNode body = turn.answer.whole(turn.choices, turn.promptTokens);
    addTimes(body, turn);
    Http.send(exchange, 200, body);
  }

  /** Once the head is sent, an error can only be reported inside the stream. */
  private void stream(ServerExchange exchange, Turn turn) throws IOException, InterruptedException {
    final EventStream stream = new EventStream(exchange);
    final int wanted = turn.asked.delivery().interval();
    final int interval = wanted > 0 ? wanted : options.answers().streamInterval();
    try {
      while (!turn.isDone()) {
        final TokenStream.Event event =
            turn.tokens.next(keepAlive.isZero() ? HEARTBEAT : keepAlive);
        if (event == null) {
          requireClient(exchange);
          if (!keepAlive.isZero()) {
            stream.comment();
          }
          continue;
        }
        final ChoiceText choice = turn.choices.get(event.request());
        final boolean wasDone = choice.isDone();
        accept(event, turn);
        if (!wasDone
            && !choice.awaitsEnd()
            && !turn.leavesOut(event)
            && !turn.isClosing()
            && choice.isDue(interval)) {
          final ObjectNode part = turn.answer.part(choice, turn.promptTokens);
          turn.journey.timing().setFirst(TimingStage.FIRST_SENT, engine.clock().nanoTime());
          stream.send(part);
        }
      }
      final GenerationRequest.Delivery asked = turn.asked.delivery();
      if (asked.usage() || asked.timing()) {
        final ObjectNode closing =
            turn.answer.closing(turn.choices, turn.promptTokens, asked.usage());
        addTimes(closing, turn);
        stream.send(closing);
      }
      stream.done();
    } catch (ApiException e) {
      turn.journey.aborted("generation_error", e.recorded());
      stream.send(Json.error(e));
      stream.done();
    }
  }

  /** An engine that is held by a step does not end the request of a client that has gone. */
  static void requireClient(ServerExchange exchange) throws IOException {
    if (exchange.isGone()) {
      throw new IOException("the client has gone");
    }
  }

  private void addTimes(ObjectNode json, Turn turn) throws InterruptedException {
    times.addTo(
        json,
        turn.answer,
        turn.asked.delivery(),
        turn.journey,
        turn.choices,
        turn.promptTokens,
        turn.tokens.handles());
  }

  private static void accept(TokenStream.Event event, Turn turn) {
    turn.journey.answered();
    turn.entry.answered();
    final ChoiceText choice = turn.choices.get(event.request());
    final ApiException failure =
        switch (event) {
          case TokenStream.Token token -> {
            if (turn.asked.sampling().logprobs().isPresent() && token.logprobs() == null) {
              throw ApiException.withoutLogprobs(
                  turn.asked.topLogprobs() < 0 ? "best_of" : "logprobs");
            }
            if (!turn.leavesOut(token) && choice.accept(token)) {
              turn.tokens.handles().get(choice.index()).stop(); // nothing more is needed
            }
            yield null;
          }
          case TokenStream.End end -> ended(choice, end.outcome());
        };
    if (failure != null) {
      throw failure;
    }
  }

  /** Why the end of a request is no answer, or null; a stop string may have been before it. */
  private static @Nullable ApiException ended(ChoiceText choice, RequestOutcome outcome) {
    if (choice.isDone()) {
      return null;
    }
    if (!(outcome instanceof Finished finished)) {
      throw new IllegalStateException("a refused request has no tokens: outcome=" + outcome);
    }
    choice.end(finished);
    return ApiException.ended(finished.reason(), finished.cause());
  }

  private static String text(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** As the client called it. */
  private String nameOf(GenerationRequest asked) {
    return asked.adapter() == null ? model.name() : asked.adapter().name();
  }
}
