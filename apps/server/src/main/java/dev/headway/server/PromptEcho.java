package dev.headway.server;

import dev.headway.api.engine.TokenStream;
import dev.headway.server.GenerationRequest.Echo;
import dev.headway.server.GenerationRequest.Text;
import dev.headway.server.GenerationRequest.TokenIds;
import dev.headway.serving.tokenizer.TextDecoder;
import dev.headway.serving.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/**
 * A prompt as its answers begin with it, and the log-probabilities of its tokens once they are
 * known. One thread.
 */
final class PromptEcho {

  private final String text;
  private final int firstTokenId;
  private final int tokens;
  private final List<TokenStream.Token> scored = new ArrayList<>();

  private PromptEcho(String text, int firstTokenId, int tokens) {
    this.text = text;
    this.firstTokenId = firstTokenId;
    this.tokens = tokens;
  }

  /** One for each prompt, or none where answers do not begin with it. */
  static List<PromptEcho> of(GenerationRequest asked, List<int[]> prompts, Tokenizer tokenizer) {
    final List<PromptEcho> echoes = new ArrayList<>();
    for (int prompt = 0; prompt < prompts.size() && asked.echo() != Echo.NONE; prompt++) {
      final int[] ids = prompts.get(prompt);
      final String text =
          switch (asked.prompts().get(prompt)) {
            case Text given -> given.text();
            case TokenIds given -> text(given.ids(), tokenizer);
          };
      echoes.add(new PromptEcho(text, ids[0], ids.length));
    }
    return echoes;
  }

  private static String text(int[] ids, Tokenizer tokenizer) {
    final TextDecoder decoder = tokenizer.decoder(new int[0]);
    final StringBuilder text = new StringBuilder();
    for (int id : ids) {
      text.append(decoder.push(id));
    }
    return text.append(decoder.finish()).toString();
  }

  /** Its text: as it came, or that of the tokens that came. */
  String text() {
    return text;
  }

  /** Its first token, which has no log-probability. */
  int firstTokenId() {
    return firstTokenId;
  }

  /** How many tokens it has. */
  int tokens() {
    return tokens;
  }

  /** Takes the next token behind the first. */
  void scored(TokenStream.Token token) {
    scored.add(token);
  }

  /** The tokens behind the first, as far as their log-probabilities are known. */
  List<TokenStream.Token> scored() {
    return scored;
  }
}
