// The page's own words, in the language of the game: what is said outside the picture. `language.rs` of the client has the rest.

const ENGLISH = {
  language: "en",
  picture: "Volley, a side-scrolling shooter. Use the arrow keys to select and to fly, Enter to confirm, Escape to go back.",
  writing: "Text",
  fullScreen: "Full screen",
  fire: "Fire",
  force: "Force",
  connected: (over) => `Connected over ${over}.`,
  connectionLost: "Connection lost. Reconnecting.",
  linkCopied: (link) => `Link copied: ${link}`,
  link: (link) => `Link to this lobby: ${link}`,
  download: "Download this replay",
  noReplay: "The server has no such replay (any more).",
  replayNotFetched: "The replay cannot be fetched: the server does not answer.",
  replayTooLarge: "This is not a replay: it is too large.",
  replayNotPlayed: (why) => `This replay cannot be played: ${why}.`,
  notStored: "Your browser does not store settings for this page. They are lost when you close it.",
  crashed: (why) => `The game has crashed: ${why}\nReload the page to continue.`,
  notLoaded: (why) => `The game could not be loaded: ${why}\nIt needs a browser with WebAssembly. Reload the page to try again.`,
};

const FRENCH = {
  language: "fr",
  picture: "Volley, un jeu de tir à défilement horizontal. Flèches pour choisir et piloter, Entrée pour valider, Échap pour revenir.",
  writing: "Texte",
  fullScreen: "Plein écran",
  fire: "Tir",
  force: "Force",
  connected: (over) => `Connecté par ${over}.`,
  connectionLost: "Connexion perdue. Reconnexion.",
  linkCopied: (link) => `Lien copié : ${link}`,
  link: (link) => `Lien vers ce salon : ${link}`,
  download: "Télécharger cette rediffusion",
  noReplay: "Le serveur n’a pas (ou plus) cette rediffusion.",
  replayNotFetched: "La rediffusion ne peut pas être chargée : le serveur ne répond pas.",
  replayTooLarge: "Ce n’est pas une rediffusion : le fichier est trop grand.",
  replayNotPlayed: (why) => `Cette rediffusion ne peut pas être lue : ${why}.`,
  notStored: "Votre navigateur n’enregistre pas les réglages de cette page. Ils seront perdus à sa fermeture.",
  crashed: (why) => `Le jeu a planté : ${why}\nRechargez la page pour continuer.`,
  notLoaded: (why) => `Le jeu n’a pas pu être chargé : ${why}\nIl lui faut un navigateur avec WebAssembly. Rechargez la page pour réessayer.`,
};

/** In the language that the player chose, as the client's settings say it, or else in that of the browser. */
export function words(settings) {
  const chosen = /^language = (\w+)$/m.exec(settings)?.[1];
  const isFrench = chosen ? chosen === "french" : /^fr\b/i.test(navigator.language ?? "");
  return isFrench ? FRENCH : ENGLISH;
}
