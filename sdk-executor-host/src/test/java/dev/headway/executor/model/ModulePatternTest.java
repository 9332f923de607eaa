package dev.headway.executor.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModulePatternTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "lm_head; lm_head; true",
        "model.layers.1; model.layers.1.mlp.up_proj; false",
        "re:.*lm_head; language_model.lm_head; true",
        "re:.*lm_head$; lm_head.other; false",
        "re:lm_head; model.lm_head; false",
        "re:model.layers.1; model.layers.10.mlp.up_proj; true",
        "re:^model\\.layers\\.\\d+\\.self_attn\\.(q_proj|k_proj)$; model.layers.10.self_attn.k_proj; true",
        "re:.*\\.layers\\.[0-9]\\.mlp; model.layers.12.mlp.up_proj; false",
        "re:.*self_attn.(?:q|k)_proj; model.layers.0.self_attn.v_proj; false"
      })
  void shouldMatchAsPythonDoes(String entry, String module, boolean matches) {
    assertThat(ModulePattern.of(entry).orElseThrow().matches(module)).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "re:(a+)+b",
        "re:(.*)*x",
        "re:(a|b)*c",
        "re:.*.*.*.*.*",
        "re:[a-z]",
        "re:(?i)a",
        "re:a{9}",
        "re:a\\1",
        "re:("
      })
  void shouldNotTakeWhatMayNeverEnd(String entry) {
    assertThat(ModulePattern.of(entry)).isEmpty();
  }
}
