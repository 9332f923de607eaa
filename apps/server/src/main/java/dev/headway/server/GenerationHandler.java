package dev.headway.server;

import com.sun.net.httpserver.HttpExchange;
import dev.headway.api.engine.Engine;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.probe.JourneyStage;
import dev.headway.api.request.Request;
import dev.headway.routing.timing.TimingStage;
import dev.headway.server.tokenizer.TextDecoder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import tools.jackson.databind.node.ObjectNode;

/**
 * The way of one request: read, check, tokenise, submit, answer. On the request's own thread, which
 * waits for the engine's tokens and for the client.
 */
final class GenerationHandler {

  /** How often a client that waits for its first token is looked at. */
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);

  private static final String REQUEST_ID = "x-request-id";
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._:/@-]{1,128}");

  private final UnderWay underWay = new UnderWay();
  private final Engine engine;
  private final ServedModel model;
  private final ServerOptions options;
  private final WriteGuard guard;
  private final EngineRequests requests;
  private final AnswerTimes times;

  GenerationHandler(Engine engine, ServedModel model, ServerOptions options, WriteGuard guard) {
    this.engine = engine;
    this.model = model;
    this.options = options;
    this.guard = guard;
    this.requests = new EngineRequests(model);
    this.times = new AnswerTimes(engine, options);
  }

  /** Requests that are being answered. */
  UnderWay underWay() {
    return underWay;
  }

  /**
   * Answers a request.
   *
   * @throws ApiException if it cannot be and nothing was sent yet
   * @throws IOException if the client is gone
   */
  void handle(HttpExchange exchange, AnswerFormat format) throws IOException {
    final byte[] body = Http.body(exchange, options.maxBodyBytes());
    final long arrivedNs = engine.clock().nanoTime();
    final String given = requestId(exchange);
    exchange.getResponseHeaders().set(REQUEST_ID, given);
    final String id = format.idPrefix() + given;
    final Journey journey = new Journey(engine, id, arrivedNs);
    try {
      answer(exchange, format, body, new Identity(id, arrivedNs), journey);
      journey.departed();
    } catch (ApiException e) {
      journey.aborted(e.status == 400 ? "validation_error" : "generation_error", text(e));
      throw e;
    } catch (IOException e) {
      journey.aborted("client_disconnect", text(e));
      throw e;
    } catch (InterruptedException e) {
      journey.aborted("client_disconnect", "the client took nothing for too long");
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a token", e);
    } finally {
      journey.aborted("exception", "the server failed");
    }
  }

  /** The caller's name for it, so that its logs and this server's journal agree; or a new one. */
  private static String requestId(HttpExchange exchange) {
    final String given = Http.header(exchange, REQUEST_ID);
    return given != null && ID.matcher(given).matches()
        ? given
        : UUID.randomUUID().toString().replace("-", "");
  }

  /** Of one HTTP request. */
  private record Identity(String id, long arrivedNs) {}

  private void answer(
      HttpExchange exchange, AnswerFormat format, byte[] body, Identity identity, Journey journey)
      throws IOException, InterruptedException {
    final ObjectNode json = Json.object(body);
    final GenerationRequest asked = format.read(json);
    final String id = underWay.unique(format.givenId(json).orElse(identity.id));
    journey.reached(JourneyStage.TOKENIZE_STARTED);
    final List<int[]> prompts = requests.tokenise(asked);
    journey.reached(JourneyStage.TOKENIZE_ENDED);
    final List<Request> all =
        requests.build(asked, prompts, id, Http.header(exchange, "traceparent"));
    journey.knownAs(all.stream().map(Request::id).toList());
    times.watch(asked.delivery(), journey.ids());
    journey.timing().set(TimingStage.DISPATCHED, engine.clock().nanoTime());
    try (TokenStream tokens =
        TokenStream.submit(engine, all, options.maxUnreadTokens(), identity.arrivedNs)) {
      if (tokens.refusal().isPresent()) {
        throw ApiException.refused(tokens.refusal().get());
      }
      journey.reached(JourneyStage.HANDOFF_TO_CORE);
      final int promptTokens = prompts.stream().mapToInt(prompt -> prompt.length).sum();
      final Turn turn =
          new Turn(
              asked,
              choices(asked, prompts),
              promptTokens,
              format.answer(id, model.name(), asked),
              tokens,
              journey,
              underWay.begin(id, promptTokens, tokens.handles()));
      if (asked.delivery().stream()) {
        stream(exchange, turn);
      } else {
        whole(exchange, turn);
      }
    } finally {
      underWay.end(id);
      times.forget(journey.ids());
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
  }

  private List<ChoiceText> choices(GenerationRequest asked, List<int[]> prompts) {
    final List<ChoiceText> choices = new ArrayList<>();
    for (int[] prompt : prompts) {
      for (int i = 0; i < asked.n(); i++) {
        final TextDecoder decoder = model.tokenizer().decoder(prompt);
        choices.add(new ChoiceText(choices.size(), decoder, asked.stop()));
      }
    }
    return choices;
  }

  private void whole(HttpExchange exchange, Turn turn) throws IOException, InterruptedException {
    while (!turn.isDone()) {
      final TokenStream.Event event = turn.tokens.next(HEARTBEAT);
      if (event != null) {
        accept(event, turn);
      }
    }
    final ObjectNode body = turn.answer.whole(turn.choices, turn.promptTokens);
    addTimes(body, turn);
    Http.send(exchange, guard, 200, body);
  }

  /** Once the head is sent, an error can only be reported inside the stream. */
  private void stream(HttpExchange exchange, Turn turn) throws IOException, InterruptedException {
    final EventStream stream = new EventStream(exchange, guard);
    try {
      for (ChoiceText choice : turn.choices) {
        final ObjectNode opening = turn.answer.opening(choice.index);
        if (opening != null) {
          stream.send(opening);
        }
      }
      while (!turn.isDone()) {
        final TokenStream.Event event = turn.tokens.next(HEARTBEAT);
        if (event == null) {
          stream.comment();
          continue;
        }
        final ChoiceText choice = turn.choices.get(event.request());
        final boolean wasDone = choice.isDone();
        accept(event, turn);
        if (!wasDone && (choice.hasText() || choice.isDone())) {
          final ObjectNode part = turn.answer.part(choice);
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
      turn.journey.aborted("generation_error", text(e));
      stream.send(Json.error(e));
      stream.done();
    }
  }

  private void addTimes(ObjectNode json, Turn turn) throws InterruptedException {
    times.addTo(
        json, turn.answer, turn.asked.delivery(), turn.journey, turn.choices, turn.promptTokens);
  }

  private static void accept(TokenStream.Event event, Turn turn) {
    turn.journey.answered();
    turn.entry.answered();
    final ChoiceText choice = turn.choices.get(event.request());
    final ApiException failure =
        switch (event) {
          case TokenStream.Token token -> {
            if (choice.accept(token)) {
              turn.tokens.handles().get(choice.index).stop(); // nothing more is needed
            }
            yield null;
          }
          case TokenStream.End end -> {
            final boolean lost = turn.tokens.isOverflowed() && !choice.isDone();
            final ApiException ended = choice.end(end.outcome());
            yield lost ? ApiException.unread() : ended;
          }
        };
    if (failure != null) {
      throw failure;
    }
  }

  private static String text(Exception failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
