//! Everything that the player reads, in English and French.

/// A language of the screens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// The default.
    #[default]
    English,
    /// The second language of the dialects' authors.
    French,
}

impl Language {
    /// All languages.
    pub const ALL: [Language; 2] = [Language::English, Language::French];

    /// Its stable name, for settings.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "english",
            Language::French => "french",
        }
    }

    /// The language of that name.
    pub fn from_name(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name() == name)
    }

    /// A phrase in this language.
    pub const fn translate(self, phrase: Phrase) -> &'static str {
        let (english, french) = phrase.both();
        match self {
            Language::English => english,
            Language::French => french,
        }
    }
}

macro_rules! phrases {
    ($($phrase:ident = $english:literal, $french:literal;)+) => {
        /// A text that the player reads.
        #[allow(missing_docs, reason = "each is documented by what it says")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Phrase { $($phrase,)+ }

        impl Phrase {
            /// All of them.
            pub const ALL: &'static [Phrase] = &[$(Phrase::$phrase,)+];

            const fn both(self) -> (&'static str, &'static str) {
                match self { $(Phrase::$phrase => ($english, $french),)+ }
            }
        }
    };
}

phrases! {
    // The title.
    Play = "Play now", "Jouer";
    Lobbies = "Lobbies", "Salons";
    CreateLobby = "Create a lobby", "Créer un salon";
    JoinByCode = "Join by code", "Rejoindre par code";
    Name = "Name", "Pseudo";
    Options = "Options", "Options";
    Scores = "High scores", "Meilleurs scores";
    Back = "Back", "Retour";
    Connecting = "Connecting…", "Connexion…";
    Connected = "Connected", "Connecté";
    NotConnected = "Not connected", "Non connecté";
    ReadyToConnect = "Ready", "Prêt";

    // Options.
    Music = "Music", "Musique";
    Sound = "Sound effects", "Effets sonores";
    Shake = "Screen shake", "Tremblements d’écran";
    Flashes = "Flashes", "Flashs";
    ColourBlindMode = "Colour-blind mode", "Mode daltonien";
    PaletteDefault = "off", "non";
    PaletteRedGreen = "red-green", "rouge-vert";
    PaletteBlueYellow = "blue-yellow", "bleu-jaune";
    TextSize = "Text size", "Taille du texte";
    TextNormal = "normal", "normale";
    TextLarge = "large", "grande";
    OneButton = "One-button mode", "Mode un bouton";
    SlowMode = "Slow mode (solo)", "Mode lent (solo)";
    Captions = "Captions", "Sous-titres";
    Queue = "Even out the network", "Lisser le réseau";
    Language = "Language", "Langue";
    ThisLanguage = "English", "Français";
    On = "on", "oui";
    Off = "off", "non";

    // Key bindings.
    Keys = "Key bindings", "Touches";
    PressAKey = "press a key", "appuyez sur une touche";
    KeyLeft = "Left", "Gauche";
    KeyRight = "Right", "Droite";
    KeyUp = "Up", "Haut";
    KeyDown = "Down", "Bas";
    KeyFire = "Fire", "Tir";
    KeyForce = "Force", "Force";
    KeyPause = "Menu", "Menu";
    KeyGraph = "Network graph", "Graphique réseau";
    KeyChat = "Chat", "Discussion";
    KeyScoreboard = "Players (hold)", "Joueurs (maintenir)";
    FullScreen = "Full screen", "Plein écran";
    SpaceKey = "Space", "Espace";
    EnterKey = "Enter", "Entrée";
    EscapeKey = "Esc", "Échap";
    ResetKeys = "Reset to defaults", "Rétablir par défaut";

    // A new lobby.
    Stage = "Stage", "Niveau";
    Endless = "Endless", "Infini";
    Respawn = "Respawn", "Réapparition";
    RespawnInPlace = "in place", "sur place";
    RespawnAtCheckpoint = "at checkpoint", "au point de contrôle";
    FriendlyFire = "Friendly fire", "Tir allié";
    Lives = "Lives", "Vies";
    Visibility = "Visibility", "Visibilité";
    Public = "public", "public";
    Private = "private", "privé";
    CreateNow = "Create", "Créer";

    // The list of lobbies.
    Refresh = "Refresh", "Actualiser";
    NoLobbies = "No open lobbies. Create one!", "Aucun salon ouvert. Créez-en un !";
    Waiting = "waiting", "en attente";
    Watch = "watch", "regarder";
    Join = "join", "rejoindre";

    // A lobby that waits for its game.
    Lobby = "Lobby", "Salon";
    Ready = "Ready", "Prêt";
    NotReady = "Not ready", "Pas prêt";
    Start = "Start the game", "Lancer la partie";
    Share = "Share the code", "Partager le code";
    Leave = "Leave", "Quitter";
    Away = "disconnected", "déconnecté";
    OneWatcher = "1 watching", "1 spectateur";
    Watchers = "watching", "spectateurs";
    You = "you", "vous";
    CodeCopied = "The code is on the clipboard", "Le code est dans le presse-papiers";
    CodeNotCopied = "No clipboard: the code is in the window's title", "Pas de presse-papiers : le code est dans le titre";
    FreeSeat = "open seat", "place libre";

    // Over the game.
    Paused = "Paused", "Pause";
    PressToResume = "Paused. Press any key.", "Pause. Appuyez sur une touche.";
    GameWaits = "The game waits for you.", "La partie vous attend.";
    GameGoesOn = "The game goes on behind this menu.", "La partie continue derrière ce menu.";
    Resume = "Resume", "Reprendre";
    GameOver = "GAME OVER", "PARTIE TERMINÉE";
    StageClear = "STAGE CLEAR", "NIVEAU TERMINÉ";
    ContinuesSoon = "The game continues in a moment.", "La partie continue dans un instant.";
    NewGameSoon = "A new game starts in a moment.", "Une nouvelle partie va commencer.";
    Watching = "You are watching", "Vous êtes spectateur";
    Eliminated = "YOU WERE ELIMINATED", "VOUS ÊTES ÉLIMINÉ";
    WatchUntilNextGame = "You are watching. You play again in the next game.", "Vous êtes spectateur jusqu’à la prochaine partie.";
    MayReturn = "If you have lives left, your ship is coming back.", "S’il vous reste des vies, votre vaisseau revient.";
    EliminatedWatching = "Eliminated: you are watching", "Éliminé : vous êtes spectateur";
    Respawning = "Your ship is coming back…", "Votre vaisseau revient…";
    Players = "Players", "Joueurs";
    PlayerCount = "{} players", "{} joueurs";
    ShipsLost = "Ships lost", "Pertes";
    Score = "Score", "Score";
    Out = "out", "éliminé";
    NoScores = "No scores yet", "Aucun score pour l’instant";

    // The feed. The name of a player stands for the braces.
    FeedJoined = "Player {} joined", "Joueur {} : arrivée";
    FeedLeft = "Player {} left", "Joueur {} : départ";
    FeedTimedOut = "Player {} timed out", "Joueur {} : ne répond plus";
    FeedEliminated = "Player {} was eliminated", "Joueur {} : éliminé";
    FeedByPlayer = "by {}", "par {}";
    FeedBoss = "The boss was destroyed", "Le boss est détruit";
    CauseWall = "wall", "paroi";
    CauseBoss = "boss", "boss";
    CauseEnemy = "enemy", "ennemi";
    CauseEnemyFire = "enemy fire", "tir ennemi";
    CauseDebris = "debris", "débris";

    // What went wrong.
    RestartTitle = "THE SERVER IS RESTARTING", "LE SERVEUR REDÉMARRE";
    LostTitle = "CONNECTION LOST", "CONNEXION PERDUE";
    Reconnecting = "Reconnecting…", "Reconnexion…";
    ReconnectingToSeat = "Reconnecting… Your seat is kept for a minute.", "Reconnexion… Votre place est gardée une minute.";
    NoAnswerTitle = "NO ANSWER", "PAS DE RÉPONSE";
    NoAnswer = "The server may be down or full. Trying again…", "Serveur arrêté ou complet ? Nouvel essai…";
    EndRefused = "The server refused the connection", "Le serveur a refusé la connexion";
    EndFull = "Server Full: try again later", "Serveur complet : réessayez plus tard";
    EndDropped = "The server lost contact with you", "Le serveur a perdu le contact avec vous";
    EndKicked = "You were removed from the game", "Vous avez été exclu de la partie";
    EndNoStage = "No lobby: the server lacks this stage, or is full", "Pas de salon : niveau inconnu du serveur, ou serveur complet";
    EndLobbyClosed = "The lobby is closed", "Le salon est fermé";
    LobbyFull = "This lobby is full", "Ce salon est complet";
    NoSuchLobby = "This lobby does not exist", "Ce salon n’existe pas";
    NoSuchStage = "This stage does not exist", "Ce niveau n’existe pas";
    ServerFull = "The server is full", "Le serveur est complet";
    SeatGone = "Your seat is no longer kept", "Votre place n’est plus gardée";
    TooFast = "Too many requests: wait a moment", "Trop de demandes : patientez un instant";
    NotNow = "Not possible right now", "Impossible pour le moment";
    VersionDiffers = "Client and server versions differ: update or reload", "Versions incompatibles : mettez à jour ou rechargez";

    // What is wrong with the server.
    BadInitialisationTitle = "THIS SERVER CANNOT BE UNDERSTOOD", "SERVEUR INCOMPRÉHENSIBLE";
    BadInitialisation = "Initialisation:", "Initialisation :";
    FaultCount = "the number of components does not match", "le nombre de composants ne correspond pas";
    FaultPadding = "a name is empty, or not filled up with zeros", "un nom est vide ou mal complété par des zéros";
    FaultCharacters = "a name has a character that is not allowed", "un nom contient un caractère interdit";
    FaultEndMark = "the end mark ff ff is missing", "la marque de fin ff ff manque";
    FaultMissingPart = "a part is missing", "il en manque une partie";
    UnknownComponents = "Unknown components, left out", "Composants inconnus, ignorés";
    AndMore = "more", "autres";

    // What the keys do, at the foot.
    HintSelect = "select", "choisir";
    HintAccept = "confirm", "valider";
    HintBack = "back", "retour";

    // Captions.
    CaptionBeam = "[beam]", "[rayon]";
    CaptionExplosion = "[explosion]", "[explosion]";
    CaptionItem = "[power-up]", "[bonus]";
    CaptionForce = "[Force]", "[Force]";
    CaptionDeath = "[ship destroyed]", "[vaisseau détruit]";
    CaptionExtraLife = "[extra life]", "[vie supplémentaire]";
    CaptionWarning = "[warning]", "[alerte]";
    CaptionCharge = "[beam charging]", "[rayon en charge]";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Picture;

    #[test]
    fn every_phrase_exists_in_every_language_and_fits_the_picture() {
        for &phrase in Phrase::ALL {
            for language in Language::ALL {
                let text = language.translate(phrase);
                assert!(!text.is_empty() && Picture::text_width(text) < 400, "{text}");
            }
        }
        assert_eq!(Language::from_name("klingon"), None);
    }
}
