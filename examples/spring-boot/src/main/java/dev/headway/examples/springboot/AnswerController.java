package dev.headway.examples.springboot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.headway.api.engine.Engine;
import dev.headway.api.engine.RequestOutcome.Rejected;
import dev.headway.api.engine.TokenStream;
import dev.headway.api.request.Request;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Streams answers as server-sent events, a token each. */
@RestController
public class AnswerController {

  /** What a client asks for. */
  public record Question(String prompt, int maxTokens) {
    public Question {
      prompt = Objects.requireNonNullElse(prompt, "");
    }
  }

  private final Engine engine;

  AnswerController(Engine engine) {
    this.engine = engine;
  }

  @PostMapping("/generate")
  ResponseEntity<StreamingResponseBody> generate(@RequestBody Question question) {
    Request request = request(question);
    TokenStream stream = TokenStream.submit(engine, request, 1_024);
    Optional<Rejected> refusal = stream.refusal();
    if (refusal.isPresent()) {
      throw new ResponseStatusException(status(refusal.get()), refusal.get().message());
    }
    return ResponseEntity.ok()
        .contentType(MediaType.TEXT_EVENT_STREAM)
        .header("X-Request-Id", request.id()) // what /actuator/headway/ID explains
        .body(
            out -> {
              try (stream) { // a client that has gone cancels its request
                for (TokenStream.Token token : stream) {
                  out.write(("data: " + (char) token.tokenId() + "\n\n").getBytes(UTF_8));
                  out.flush();
                }
              }
            });
  }

  /** Fields of a request that cannot be. */
  @ExceptionHandler
  ProblemDetail invalid(IllegalArgumentException e) {
    return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, e.getMessage());
  }

  /** A byte is a token here; yours has a tokenizer. */
  private static Request request(Question question) {
    byte[] bytes = question.prompt().getBytes(UTF_8);
    int[] tokenIds = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      tokenIds[i] = Byte.toUnsignedInt(bytes[i]);
    }
    return Request.builder(UUID.randomUUID().toString(), tokenIds)
        .maxTokens(question.maxTokens())
        .build();
  }

  private static HttpStatus status(Rejected refusal) {
    return switch (refusal.reason()) {
      case QUEUE_FULL, QUEUED_TOKENS -> HttpStatus.TOO_MANY_REQUESTS;
      case ENGINE_CLOSED -> HttpStatus.SERVICE_UNAVAILABLE;
      default -> HttpStatus.BAD_REQUEST;
    };
  }
}
