package dev.headway.serving.chat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BuiltInTemplateTest {

  private static final List<ChatMessage> MESSAGES =
      List.of(
          new ChatMessage("system", "Be brief."),
          new ChatMessage("user", "Hi"),
          new ChatMessage("assistant", "Yes?"),
          new ChatMessage("user", "Bye"));

  @Test
  void shouldWriteTheLayoutOfAFamily() {
    assertThat(prompt("plain", MESSAGES))
        .isEqualTo("system: Be brief.\nuser: Hi\nassistant: Yes?\nuser: Bye\nassistant:");
    assertThat(prompt("chatml", MESSAGES))
        .isEqualTo(
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
                + "<|im_start|>assistant\nYes?<|im_end|>\n<|im_start|>user\nBye<|im_end|>\n"
                + "<|im_start|>assistant\n");
    assertThat(prompt("llama3", MESSAGES.subList(1, 2)))
        .isEqualTo(
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi<|eot_id|>"
                + "<|start_header_id|>assistant<|end_header_id|>\n\n");
    assertThat(prompt("mistral", MESSAGES))
        .isEqualTo("<s>[INST] Be brief.\n\nHi [/INST] Yes?</s>[INST] Bye [/INST]");
    assertThat(BuiltInTemplate.named("vicuna")).isEmpty();
  }

  private static String prompt(String name, List<ChatMessage> messages) {
    return BuiltInTemplate.named(name).orElseThrow().render(messages);
  }
}
