package dev.headway.spring.boot;

import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.engine.Engine;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.serving.EngineTimes;
import dev.headway.serving.ServedModel;
import dev.headway.serving.chat.ModelTemplates;
import dev.headway.serving.chat.TemplateChoice;
import dev.headway.serving.tokenizer.FileTokenizer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Text and tokens of the model in {@code headway.model.directory}, for models of frameworks. */
@AutoConfiguration(before = HeadwayAutoConfiguration.class)
@ConditionalOnClass({ServedModel.class, Model.class})
@ConditionalOnProperty("headway.model.directory")
class ServingAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean({FileTokenizer.class, ServedModel.class})
  FileTokenizer headwayTokenizer(HeadwayProperties properties) {
    try {
      return FileTokenizer.open(directory(properties));
    } catch (IOException e) {
      throw new HeadwayConfigurationException(String.valueOf(e.getMessage()), e);
    }
  }

  @Bean
  @ConditionalOnMissingBean
  ServedModel headwayServedModel(
      HeadwayProperties properties,
      FileTokenizer tokenizer,
      ObjectProvider<SchedulerConfig> schedulers) {
    final Path directory = directory(properties);
    final ModelConfig config = Model.readConfig(directory);
    final SchedulerConfig scheduler = schedulers.getIfUnique();
    final String name = properties.model().name();
    try {
      return new ServedModel(
          name == null
              ? String.valueOf(directory.toAbsolutePath().normalize().getFileName())
              : name,
          tokenizer,
          TemplateChoice.of(
              "headway.model.chat-template",
              properties.model().chatTemplate(),
              ModelTemplates.of(directory)),
          config.eosTokenIds().stream().mapToInt(Integer::intValue).toArray(),
          config.vocabularySize(),
          scheduler == null ? config.maxPositions() : scheduler.limits().maxModelLen());
    } catch (IOException | IllegalArgumentException e) {
      throw new HeadwayConfigurationException(String.valueOf(e.getMessage()), e);
    }
  }

  /** The starter's engine gets it, as every probe; one of the user's has to be given it. */
  @Bean
  @ConditionalOnMissingBean({EngineTimes.class, Engine.class})
  EngineTimes headwayEngineTimes() {
    return new EngineTimes();
  }

  private static Path directory(HeadwayProperties properties) {
    return Path.of(
        Objects.requireNonNull(properties.model().directory(), "headway.model.directory"));
  }
}
