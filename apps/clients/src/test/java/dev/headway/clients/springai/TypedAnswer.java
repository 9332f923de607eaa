package dev.headway.clients.springai;

import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.converter.BeanOutputConverter;
import org.springframework.ai.openai.OpenAiChatModel;
import org.springframework.ai.openai.OpenAiChatOptions;

/** An answer made into an object, by classes of {@link OwnSchemas}. */
public final class TypedAnswer {

  /** A field of the answer. */
  enum Unit {
    C,
    F
  }

  /** What the answer is made into. */
  record Weather(Unit unit, boolean sunny) {}

  private TypedAnswer() {}

  /** Returns the unit of the answer. */
  public static String call(String url) {
    final BeanOutputConverter<Weather> weather = new BeanOutputConverter<>(Weather.class);
    final OpenAiChatModel chat =
        OpenAiChatModel.builder().options(SpringModels.options(url).build()).build();
    final OpenAiChatOptions asked =
        OpenAiChatOptions.builder()
            .model(SpringModels.MODEL)
            .maxCompletionTokens(100)
            .seed(7)
            .outputSchema(weather.getJsonSchema())
            .build();

    final String text = SpringModels.text(chat.call(new Prompt("The weather.", asked)));

    return weather.convert(text).unit().name();
  }
}
